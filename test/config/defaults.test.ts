import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith, load } from './support.ts';

test('every field of the specification has the default that it gives', () => {
  const { config } = load();
  expect(config).toMatchObject({
    baseUrl: 'http://localhost:8000',
    behindProxy: false,
    mongodbDatabase: 'svc',
    userCollection: 'users',
    pendingCollection: 'pending_registrations',
    blacklistCollection: 'token_blacklist',
    loginAttemptCollection: 'login_attempts',
    mfaCodeCollection: 'mfa_codes',
    oauthIdentityCollection: 'oauth_identities',
    oauthStateCollection: 'oauth_states',
    apiPrefix: '/api/auth',
    uiPrefix: '/account',
    staticPrefix: '/svc-static',
    extraTemplateDirs: [],
    extraStaticDirs: [],
    jwtAlgorithm: 'HS256',
    transport: 'bearer',
    requireVerification: true,
    allowRegistration: true,
    enablePasswordReset: true,
    enableAccountDeletion: true,
    enableAdminRouter: false,
    enableUiRouter: false,
    enableSms2fa: false,
    enableOauth: false,
    jwtTtlSeconds: 7200,
    verificationTokenTtlSeconds: 86_400,
    passwordResetTokenTtlSeconds: 1800,
    emailChangeTokenTtlSeconds: 3600,
    mfaPendingTokenTtlSeconds: 600,
    loginLockoutThreshold: 5,
    loginLockoutWindowSeconds: 900,
    smsCodeLength: 6,
    smsCodeTtlSeconds: 300,
    smsCodeMaxAttempts: 5,
    rateLimitDisabled: false,
    email: { logBodies: false },
    oauth: { autoLinkVerifiedEmails: false },
  });
  expect(config.databaseUrl.reveal()).toBe('sqlite+aiosqlite:///./svc.db');
  const limits = Object.entries(config).filter(([name]) => name.endsWith('RateLimit'));
  expect(limits).toHaveLength(16);
  expect(limits.filter(([, items]) => (items as unknown[]).length > 0)).toEqual([]);
});

describe('defaults that follow from other fields', () => {
  test('the sender is named as the application is, unless it has a name of its own', () => {
    expect(load({ env: { SVC_APP_NAME: 'Acme' } }).config.email.fromName).toBe('Acme');
    const named = { SVC_APP_NAME: 'Acme', SVC_EMAIL__FROM_NAME: 'Post office' };
    expect(load({ env: named }).config.email.fromName).toBe('Post office');
  });

  const moved = {
    SVC_BASE_URL: 'https://acme.example',
    SVC_API_PREFIX: '/api',
    SVC_UI_PREFIX: '/me',
  };

  test('the redirect URI and the pages follow base_url and the prefixes', () => {
    const { oauth, urls } = load({ env: moved }).config;
    expect(oauth.googleRedirectUri).toBe('https://acme.example/api/oauth/google/callback');
    expect(urls).toEqual({
      verify: 'https://acme.example/me/verify',
      resetPassword: 'https://acme.example/me/reset-password',
      confirmEmailChange: 'https://acme.example/me/confirm-email-change',
      login: 'https://acme.example/me/login',
      oauthComplete: 'https://acme.example/me/oauth-complete',
      account: 'https://acme.example/me/me',
    });
  });

  test('one page may be elsewhere and leave the others where they are', () => {
    const env = { ...moved, SVC_URLS__VERIFY: 'https://app.example/#/verify/{token}' };
    expect(load({ env }).config.urls).toMatchObject({
      verify: 'https://app.example/#/verify/{token}',
      login: 'https://acme.example/me/login',
    });
  });

  test.each([
    [{}, 'refuse'],
    [{ SVC_OAUTH__AUTO_LINK_VERIFIED_EMAILS: 'true' }, 'auto_link_verified'],
    [{ SVC_OAUTH__EXISTING_EMAIL_POLICY: 'create_new' }, 'create_new'],
    [
      {
        SVC_OAUTH__AUTO_LINK_VERIFIED_EMAILS: 'true',
        SVC_OAUTH__EXISTING_EMAIL_POLICY: 'auto_link_verified',
      },
      'auto_link_verified',
    ],
  ])('%j means the policy %s', (env, policy) => {
    expect(load({ env }).config.oauth.existingEmailPolicy).toBe(policy);
  });
});

describe('warnings', () => {
  const quiet = { SVC_ENABLE_UI_ROUTER: 'true' };
  const warningsOf = (env: Record<string, string>) => load({ env: { ...quiet, ...env } }).warnings;

  test('a configuration without a fault has none', () => {
    expect(warningsOf({})).toEqual([]);
  });

  test('links that lead nowhere while the pages are off are named, and only those that are needed', () => {
    const pagesOff = { SVC_ENABLE_UI_ROUTER: 'false', SVC_URLS__VERIFY: 'https://app.example/verify' };
    expect(warningsOf(pagesOff)).toEqual([
      expect.stringContaining('urls.reset_password, urls.confirm_email_change are not set'),
    ]);
    const google = { SVC_OAUTH__GOOGLE_CLIENT_ID: 'id', SVC_OAUTH__GOOGLE_CLIENT_SECRET: 'secret' };
    expect(warningsOf({ ...pagesOff, ...google, SVC_ENABLE_OAUTH: 'true' })).toEqual([
      expect.stringContaining('urls.login, urls.oauth_complete, urls.account are not set'),
    ]);
  });

  test.each([
    [{ SVC_RATE_LIMIT_DISABLED: 'true' }, 'rate_limit_disabled'],
    [{ SVC_LOGIN_MAX_PER_MINUTE: '5' }, 'login_max_per_minute is deprecated'],
    [{ SVC_LOGIN_MAX_PER_HOUR: '20' }, 'login_max_per_hour is deprecated'],
    [{ SVC_BASE_URL: 'http://acme.example' }, 'plain http'],
    [
      { SVC_ENABLE_OAUTH: 'true', SVC_OAUTH__GOOGLE_CLIENT_ID: 'id' },
      'external sign-in stays off without oauth.google_client_secret: svc oauth setup',
    ],
  ])('%j', (env, warning) => {
    expect(warningsOf(env)).toEqual([expect.stringContaining(warning)]);
  });

  test.each(['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:8000'])('none for %s', origin => {
    expect(warningsOf({ SVC_BASE_URL: origin })).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('a secrets file that others can read', () => {
    const folder = folderWith({ secrets: '' });
    expect(load({ env: quiet }, folder).warnings).toEqual([]);
    chmodSync(join(folder, 'svc.secrets.env'), 0o644);
    expect(load({ env: quiet }, folder).warnings).toEqual([expect.stringContaining('chmod 600')]);
  });
});
