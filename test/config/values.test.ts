import { describe, expect, test } from 'vitest';
import { load, problemOf } from './support.ts';

const inEnvironment = (name: string, text: string) => load({ env: { [name]: text } }).config;
const problemWith = (name: string, text: string) => problemOf({ env: { [name]: text } });

describe('variables', () => {
  test.each(['true', 'TRUE', '1', 'yes', 'on', ' true '])('%j is true', text => {
    expect(inEnvironment('SVC_ENABLE_OAUTH', text).enableOauth).toBe(true);
  });

  test.each(['false', 'False', '0', 'no', 'off'])('%j is false', text => {
    expect(inEnvironment('SVC_ENABLE_GRAPHQL', text).enableGraphql).toBe(false);
  });

  test.each(['', 'ja', '2', 'truee', 'null'])('%j is neither true nor false', text => {
    expect(problemWith('SVC_ENABLE_OAUTH', text)).toMatch(/SVC_ENABLE_OAUTH: must be true or false/);
  });

  test.each(['', '5.5', '5s', '0x10', '1e3', 'NaN', 'Infinity', '--5'])('%j is no whole number', text => {
    expect(problemWith('SVC_JWT_TTL_SECONDS', text)).toBe(
      'environment: SVC_JWT_TTL_SECONDS: must be a whole number',
    );
  });

  test.each([
    ['0', 'must be at least 1'],
    ['-1', 'must be at least 1'],
    ['99999999999', 'must be at most 2147483648'],
  ])('%s seconds are out of range', (text, message) => {
    expect(problemWith('SVC_JWT_TTL_SECONDS', text)).toContain(`SVC_JWT_TTL_SECONDS: ${message}`);
  });

  test.each([
    ['["+44", "+353"]', ['+44', '+353']],
    ['+44,+353', ['+44', '+353']],
    [' +44 , +353 ,', ['+44', '+353']],
    ['+44', ['+44']],
    ['[]', []],
    ['', []],
  ])('%j is a list', (text, items) => {
    expect(inEnvironment('SVC_SMS__ALLOWED_PREFIXES', text).sms.allowedPrefixes).toEqual(items);
  });

  test.each(['["+44"', '[+44]', '["+44", 5]', '+44,zero', '{"0": "+44"}'])('%j is no such list', text => {
    expect(problemWith('SVC_SMS__ALLOWED_PREFIXES', text)).toMatch(
      /^environment: SVC_SMS__ALLOWED_PREFIXES: .*must /,
    );
  });

  test('text is taken as it is', () => {
    expect(inEnvironment('SVC_APP_NAME', ' Zoë & "Co" = #1 ').appName).toBe(' Zoë & "Co" = #1 ');
  });
});

describe('addresses and paths', () => {
  test.each(['help@example.org', 'https://example.org/help', 'http://localhost/help'])(
    '%s is where people ask for help',
    text => {
      expect(inEnvironment('SVC_SUPPORT_CONTACT', text).supportContact).toBe(text);
    },
  );

  test.each(['help', '/help', 'javascript:alert(1)', 'mailto:help@example.org', 'a@b\nc'])(
    '%j is nowhere to ask for help',
    text => {
      expect(problemWith('SVC_SUPPORT_CONTACT', text)).toMatch(/SVC_SUPPORT_CONTACT: /);
    },
  );

  test.each(['brand/logo.svg', '//evil.example/logo.svg', 'data:image/svg+xml,x', 'javascript:x', 'http://'])(
    '%s is no address of a logo',
    text => {
      expect(problemWith('SVC_BRAND_LOGO_URL', text)).toMatch(/SVC_BRAND_LOGO_URL: must be a path such as/);
    },
  );

  test.each(['app', '//evil.example', 'javascript:alert(1)', 'mailto:a@b.example'])(
    '%s is nowhere that a page leads back to',
    text => expect(problemWith('SVC_HOME_URL', text)).toMatch(/SVC_HOME_URL: must be a path such as \/app,/),
  );

  test.each(['/', '/app?from=account', 'https://www.example.org/app'])('%s is the way back', text => {
    expect(inEnvironment('SVC_HOME_URL', text).homeUrl).toBe(text);
  });

  test.each(['help', 'javascript:alert(1)', '/help', 'a b@example.org'])('%s is no contact', text => {
    expect(problemWith('SVC_SUPPORT_CONTACT', text)).toMatch(
      /must be an email address, or an http or https URL$/,
    );
  });

  test.each(['help@example.org', 'https://example.org/help'])('%s is a contact', text => {
    expect(inEnvironment('SVC_SUPPORT_CONTACT', text).supportContact).toBe(text);
  });

  test.each([
    ['https://example.org/', 'https://example.org'],
    ['https://EXAMPLE.org:443', 'https://example.org'],
    ['http://[::1]:8000', 'http://[::1]:8000'],
  ])('the origin %s is %s', (text, origin) => {
    expect(inEnvironment('SVC_BASE_URL', text).baseUrl).toBe(origin);
    expect(inEnvironment('SVC_CORS_ORIGINS', text).corsOrigins).toEqual([origin]);
  });

  test.each([
    ...['example.org', 'https://example.org/app', 'https://example.org?x', 'https://example.org#x', '*'],
    ...[
      'ftp://example.org',
      'https://u:p@example.org',
      'https://@example.org',
      'javascript:alert(1)',
      'null',
    ],
  ])('%s is no origin', text => {
    expect(problemWith('SVC_BASE_URL', text)).toContain('SVC_BASE_URL: must be an origin');
    expect(problemWith('SVC_CORS_ORIGINS', text)).toContain('SVC_CORS_ORIGINS: item 1: must be an origin');
  });

  test.each(['auth', '/auth/', '/', '', '//auth', '/a/../b', '/a b', '/a?b', '/a*', '/:a'])(
    '%j is no prefix',
    text => {
      for (const name of ['SVC_API_PREFIX', 'SVC_UI_PREFIX', 'SVC_STATIC_PREFIX']) {
        expect(problemWith(name, text)).toMatch(new RegExp(`^environment: ${name}: `));
      }
    },
  );

  test.each(['10.0.0.0/8', '::1', '2001:db8::/32', '192.0.2.1'])('%s is an address or a range', text => {
    expect(inEnvironment('SVC_TRUSTED_PROXIES', text).trustedProxies).toEqual([text]);
  });

  test.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0', 'localhost', '::1/129', '10.0.0.0/8/8', 'true'])(
    '%s is no address',
    text => expect(problemWith('SVC_TRUSTED_PROXIES', text)).toContain('must be an address or a range'),
  );

  test.each([
    ['SVC_SMS_CODE_LENGTH', '5', 'must be at least 6'],
    ['SVC_SMS_CODE_LENGTH', '11', 'must be at most 10'],
    ['SVC_SMS_CODE_TTL_SECONDS', '0', 'must be at least 1'],
    ['SVC_SMS_CODE_TTL_SECONDS', '601', 'must be at most 600'],
    ['SVC_TEXT_MESSAGES_PER_HOUR', '-1', 'must be at least 0'],
  ])('%s = %s is refused: a code must not be guessed, nor live for long', (name, text, message) => {
    expect(problemWith(name, text)).toContain(`${name}: ${message}`);
  });

  // Shows asvs/6.5.4, asvs/6.5.5, 63b/3.1.3.2#ten-minutes, 63b/3.1.3.2#six-digits.
  test('codes of 6 to 10 digits and up to ten minutes are accepted', () => {
    for (const digits of ['6', '10']) {
      expect(inEnvironment('SVC_SMS_CODE_LENGTH', digits).smsCodeLength).toBe(Number(digits));
    }
    expect(inEnvironment('SVC_SMS_CODE_TTL_SECONDS', '600').smsCodeTtlSeconds).toBe(600);
  });

  test.each([
    ['https://issuer.example', 'https://issuer.example'],
    ['https://issuer.example/', 'https://issuer.example'],
    ['https://ISSUER.example:443', 'https://issuer.example'],
    ['https://issuer.example/realms/a', 'https://issuer.example/realms/a'],
    ['https://issuer.example/realms/a/', 'https://issuer.example/realms/a/'],
  ])('the issuer %s has one spelling, under which identities are stored', (text, issuer) =>
    expect(inEnvironment('SVC_OAUTH__GOOGLE_ISSUER', text).oauth.googleIssuer).toBe(issuer),
  );

  test.each(['http://issuer.example', 'issuer.example', 'http://127.0.0.1.example'])(
    'the issuer %s is refused, as its answers could be forged on the way',
    text => expect(problemWith('SVC_OAUTH__GOOGLE_ISSUER', text)).toContain('must be an https URL'),
  );
});
