import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { featureLimits } from '../../src/feature-parts.ts';
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
    rateLimitCollection: 'gatehouse_rate_limits',
    migrationCollection: 'users_migrations',
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
    enableTotp: false,
    mfaRequired: 'off',
    recentSignInSeconds: 900,
    recentSignInForLinks: false,
    recentSignInForAdministration: false,
    recentSignInForAccount: false,
    recentSignInForSessions: false,
    replaceSessionAtSignIn: false,
    enumerationSafeRegistration: false,
    emailChangeNeedsAccount: false,
    enableSessionList: false,
    notifyNewSignIn: false,
    lockoutSparesKnownPlaces: false,
    sessionIdleTtlSeconds: 0,
    maxSessionsPerUser: 0,
    authenticatorCollection: 'authenticators',
    recoveryCodeCollection: 'recovery_codes',
    challengeCollection: 'sign_in_challenges',
    sessionCollection: 'user_sessions',
    outboxCollection: 'outbox',
    auditCollection: 'audit_records',
    notMeLinkCollection: 'not_me_links',
    signInPlaceCollection: 'sign_in_places',
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
  // With those of the core alone, and those of the features that are there.
  expect(limits).toHaveLength(21 + Object.keys(featureLimits).length);
  expect(limits.filter(([, items]) => (items as unknown[]).length > 0)).toEqual([]);
});

describe('defaults that follow from other fields', () => {
  test('table_prefix stands in front of every default name, and of no other', () => {
    const env = {
      SVC_TABLE_PREFIX: 'acme_',
      SVC_PENDING_COLLECTION: 'waiting',
      // As the default is, but given.
      SVC_MFA_CODE_COLLECTION: 'mfa_codes',
    };
    expect(load({ env }).config).toMatchObject({
      userCollection: 'acme_users',
      pendingCollection: 'waiting',
      blacklistCollection: 'acme_token_blacklist',
      loginAttemptCollection: 'acme_login_attempts',
      mfaCodeCollection: 'mfa_codes',
      oauthIdentityCollection: 'acme_oauth_identities',
      oauthStateCollection: 'acme_oauth_states',
      rateLimitCollection: 'acme_gatehouse_rate_limits',
      authenticatorCollection: 'acme_authenticators',
      recoveryCodeCollection: 'acme_recovery_codes',
      challengeCollection: 'acme_sign_in_challenges',
      sessionCollection: 'acme_user_sessions',
      outboxCollection: 'acme_outbox',
      auditCollection: 'acme_audit_records',
      notMeLinkCollection: 'acme_not_me_links',
      signInPlaceCollection: 'acme_sign_in_places',
      migrationCollection: 'acme_users_migrations',
    });
  });

  test('the table of migrations is named after that of users, and stays within 63 letters', () => {
    const nameOf = (env: Record<string, string>) => load({ env }).config.migrationCollection;
    expect(nameOf({ SVC_USER_COLLECTION: 'people' })).toBe('people_migrations');
    expect(nameOf({ SVC_USER_COLLECTION: 'people', SVC_MIGRATION_COLLECTION: 'steps' })).toBe('steps');
    // Up to this length the former version named it so, too.
    expect(nameOf({ SVC_USER_COLLECTION: 'u'.repeat(52) })).toBe(`${'u'.repeat(52)}_migrations`);
    const [one, two] = ['x', 'y'].map(end => nameOf({ SVC_USER_COLLECTION: `${'u'.repeat(62)}${end}` }));
    expect([one!.length, two!.length]).toEqual([63, 63]);
    expect(one).not.toBe(two);
  });

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
      notMe: 'https://acme.example/me/not-me',
      acceptInvitation: 'https://acme.example/me/accept-invitation',
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
  const quiet = { SVC_ENABLE_UI_ROUTER: 'true', SVC_LOGIN_RATE_LIMIT: '30/minute' };
  const warningsOf = (env: Record<string, string>) => load({ env: { ...quiet, ...env } }).warnings;

  test('a configuration without a fault has none', () => {
    expect(warningsOf({})).toEqual([]);
  });

  test('one without any limit of requests says so, unless it is for tests', () => {
    expect(warningsOf({ SVC_LOGIN_RATE_LIMIT: '' })).toEqual([expect.stringContaining('_rate_limit')]);
    const forTests = { SVC_LOGIN_RATE_LIMIT: '', SVC_LIMITS_DISABLED: 'true' };
    expect(warningsOf(forTests)).toEqual([expect.stringContaining('limits_disabled')]);
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
    expect(warningsOf({ ...pagesOff, SVC_ENABLE_ADMIN_ROUTER: 'true' })).toEqual([
      expect.stringContaining('urls.confirm_email_change, urls.accept_invitation are not set'),
    ]);
  });

  test.each([
    [{ SVC_RATE_LIMIT_DISABLED: 'true' }, 'rate_limit_disabled'],
    [
      { SVC_LIMITS_DISABLED: 'true' },
      'limits_disabled is on: no limit per client address, no lockout and no cap',
    ],
    [
      {
        ...{ SVC_NOTIFY_NEW_SIGN_IN: 'true', SVC_ENABLE_SESSION_LIST: 'true' },
        ...{ SVC_DATA_ENCRYPTION_KEY: 'A'.repeat(43), SVC_ENABLE_PASSWORD_RESET: 'false' },
        SVC_SUPPORT_CONTACT: 'help@example.org',
      },
      'the link "this was not me" ends the sessions alone',
    ],
    [
      {
        ...{ SVC_NOTIFY_NEW_SIGN_IN: 'true', SVC_ENABLE_SESSION_LIST: 'true' },
        SVC_DATA_ENCRYPTION_KEY: 'A'.repeat(43),
      },
      'support_contact is not set',
    ],
    [
      { SVC_PASSWORD_BLOCKLIST: 'true', SVC_PASSWORD_MIN_LENGTH: '10' },
      'fewer than 3,000 passwords of the blocklist are so long',
    ],
    [{ SVC_LOGIN_MAX_PER_MINUTE: '5' }, 'login_max_per_minute is deprecated'],
    [{ SVC_LOGIN_MAX_PER_HOUR: '20' }, 'login_max_per_hour is deprecated'],
    [{ SVC_BASE_URL: 'http://acme.example' }, 'plain http'],
    [{ SVC_DATABASE_SCHEMA: 'accounts' }, 'database_schema has no effect'],
    [
      { SVC_ENABLE_OAUTH: 'true', SVC_OAUTH__GOOGLE_CLIENT_ID: 'id' },
      'external sign-in stays off without oauth.google_client_secret: svc oauth setup',
    ],
  ])('%j', (env, warning) => {
    expect(warningsOf(env)).toEqual([expect.stringContaining(warning)]);
  });

  test('none where the blocklist still has 3,000 entries, or is off', () => {
    expect(warningsOf({ SVC_PASSWORD_BLOCKLIST: 'true', SVC_PASSWORD_MIN_LENGTH: '9' })).toEqual([]);
    expect(warningsOf({ SVC_PASSWORD_MIN_LENGTH: '15' })).toEqual([]);
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
