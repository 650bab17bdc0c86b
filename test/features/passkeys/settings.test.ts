import { describe, expect, test } from 'vitest';
import { featureLimits } from '../../../src/feature-parts.ts';
import { load, problemOf, problemsOf } from '../../config/support.ts';

test('passkeys are off, and belong to the host of base_url, where nothing else is set', () => {
  expect(load().config).toMatchObject({
    enablePasskeys: false,
    passkeys: { rpId: 'localhost', origins: ['http://localhost:8000'] },
  });
});

test('four of their operations can be limited', () => {
  expect(Object.keys(featureLimits).filter(name => name.includes('passkey'))).toHaveLength(4);
});

const moved = { SVC_BASE_URL: 'https://acme.example' };

test('the domain of passkeys is the host of base_url, and its origin is always among their origins', () => {
  const origins = 'https://acme.example, https://app.acme.example';
  expect(load({ env: moved }).config.passkeys).toEqual({
    rpId: 'acme.example',
    origins: ['https://acme.example'],
  });
  const { passkeys } = load({ env: { ...moved, SVC_PASSKEYS__ORIGINS: origins } }).config;
  expect(passkeys.origins).toEqual(['https://acme.example', 'https://app.acme.example']);
});

test('a policy that needs a factor is refused without one, and names the flags of each', () => {
  const env = { SVC_MFA_REQUIRED: 'everyone' };
  expect(problemsOf({ env })).toHaveLength(1);
  expect(problemOf({ env })).toContain(
    'SVC_MFA_REQUIRED: needs a factor: switch enable_totp, enable_passkeys',
  );
});

test('an address without a name deserves a warning', () => {
  const env = {
    SVC_ENABLE_UI_ROUTER: 'true',
    SVC_LOGIN_RATE_LIMIT: '30/minute',
    SVC_ENABLE_PASSKEYS: 'true',
    SVC_BASE_URL: 'http://127.0.0.1:8000',
  };
  expect(load({ env }).warnings).toEqual([
    expect.stringContaining('browsers offer passkeys on a domain name or localhost'),
  ]);
});

// Shows 63b/3.2.5.2#name-binding.
describe('the domain of passkeys is the host of base_url or a domain above it', () => {
  const problemWith = (baseUrl: string, rpId: string) =>
    problemOf({
      env: { SVC_ENABLE_PASSKEYS: 'true', SVC_BASE_URL: baseUrl, SVC_PASSKEYS__RP_ID: rpId },
    });

  test.each([
    ['https://accounts.example.org', 'accounts.example.org'],
    ['https://accounts.example.org', 'example.org'],
    ['https://accounts.example.org:8443', 'example.org'],
    ['http://localhost:8000', 'localhost'],
  ])('%s may use %s', (baseUrl, rpId) => {
    expect(problemWith(baseUrl, rpId)).toBe('');
  });

  test.each([
    ['https://accounts.example.org', 'www.example.org'],
    ['https://accounts.example.org', 'sub.accounts.example.org'],
    ['https://accounts.example.org', 'org'],
    ['https://badexample.org', 'example.org'],
    ['https://example.org', 'example.com'],
    ['http://192.0.2.7', '2.7'],
  ])('%s may not use %s', (baseUrl, rpId) => {
    expect(problemWith(baseUrl, rpId)).toBe(
      `environment: SVC_PASSKEYS__RP_ID: must be the host of base_url, ${new URL(baseUrl).hostname}, or a domain above it, such as example.org for accounts.example.org`,
    );
  });

  test.each(['https://example.org', 'Example.org', 'example.org:8443', '.example.org'])(
    'and %j is none',
    rpId => {
      expect(problemWith('https://example.org', rpId)).toContain('must be a domain in lower case');
    },
  );
});
