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
  test.each(['brand/logo.svg', '//evil.example/logo.svg', 'data:image/svg+xml,x', 'javascript:x', 'http://'])(
    '%s is no address of a logo',
    text => {
      expect(problemWith('SVC_BRAND_LOGO_URL', text)).toMatch(/SVC_BRAND_LOGO_URL: must be a path such as/);
    },
  );

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

  test.each(['http://issuer.example', 'issuer.example', 'http://127.0.0.1.example'])(
    'the issuer %s is refused, as its answers could be forged on the way',
    text => expect(problemWith('SVC_OAUTH__GOOGLE_ISSUER', text)).toContain('must be an https URL'),
  );
});
