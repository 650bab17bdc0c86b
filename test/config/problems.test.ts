import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf } from './support.ts';

describe('unknown keys', () => {
  test.each([
    [
      { env: { SVC_APP_NAMES: 'x' } },
      'environment: SVC_APP_NAMES: is not a setting; did you mean SVC_APP_NAME?',
    ],
    [
      { env: { SVC_EMAIL_FROM_ADDRESS: 'x' } },
      'environment: SVC_EMAIL_FROM_ADDRESS: is not a setting; did you mean SVC_EMAIL__FROM_ADDRESS?',
    ],
    [
      { env: { SVC_SMTP_HOST: 'x' } },
      'environment: SVC_SMTP_HOST: is not a setting; did you mean SVC_EMAIL__SMTP_HOST?',
    ],
    [{ env: { SVC_EMAIL: 'x' } }, 'environment: SVC_EMAIL: is not a setting'],
    [{ env: { SVC_NOTHING_LIKE_IT: 'x' } }, 'environment: SVC_NOTHING_LIKE_IT: is not a setting'],
    [
      { secrets: 'SVC_JWT_SECRETS=x' },
      'svc.secrets.env: SVC_JWT_SECRETS: is not a setting; did you mean SVC_JWT_SECRET?',
    ],
    [{ toml: 'app_nam = "x"' }, 'svc.toml: app_nam: is not a setting; did you mean app_name?'],
    [{ toml: 'appName = "x"' }, 'svc.toml: appName: is not a setting; did you mean app_name?'],
    [
      { toml: '[email]\nsmtp_hsot = "x"' },
      'svc.toml: email.smtp_hsot: is not a setting; did you mean email.smtp_host?',
    ],
    [{ toml: 'smtp_host = "x"' }, 'svc.toml: smtp_host: is not a setting; did you mean email.smtp_host?'],
    [{ toml: '[emial]\nbackend = "x"' }, 'svc.toml: emial: is not a setting; did you mean email?'],
    [
      { toml: '[email]\nbase_urll = "x"' },
      'svc.toml: email.base_urll: is not a setting; did you mean base_url?',
    ],
    [{ toml: '[email]\nbase_url = "x"' }, 'svc.toml: email.base_url: it stands below [email]; move it up'],
    [
      { toml: '[user_fields]\nroles = ["x"]' },
      'svc.toml: user_fields.roles: it stands below [user_fields]; move it up',
    ],
    [{ toml: '[email.smtp]\nhost = "x"' }, 'svc.toml: email.smtp: is not a setting'],
    [{ toml: '[__proto__]\nport = 1' }, 'svc.toml: __proto__: is not a setting'],
    [{ toml: 'constructor = 1' }, 'svc.toml: constructor: is not a setting'],
    [{ arguments: { appNaem: 'x' } }, 'arguments: appNaem: is not a setting; did you mean appName?'],
    [{ arguments: { app_name: 'x' } }, 'arguments: app_name: is not a setting; did you mean appName?'],
    [
      { arguments: { email: { smtp_host: 'x' } } },
      'arguments: email.smtp_host: is not a setting; did you mean email.smtpHost?',
    ],
    [{ arguments: { smtpHost: 'x' } }, 'arguments: smtpHost: is not a setting; did you mean email.smtpHost?'],
  ])('%j', (given, problem) => {
    expect(problemOf(given as object)).toBe(problem);
  });

  test('variables without the prefix, and those that name files or a password, are no settings', () => {
    const env = { SVCX: '1', svc_app_nam: '1', PATH: '/bin', SVC_ADMIN_PASSWORD: 'x' };
    expect(problemsOf({ env })).toEqual([]);
  });
});

test('enumeration_safe_registration needs addresses that are verified, and mails that are stored', () => {
  const toml = 'enumeration_safe_registration = true\nrequire_verification = false\n';
  expect(problemOf({ toml })).toBe(
    [
      'svc.toml: require_verification: must be true with enumeration_safe_registration',
      'defaults: mail_store: must be database with enumeration_safe_registration',
    ].join('\n'),
  );
});

describe('malformed files', () => {
  test.each([
    ['app_name = "Acme', 'line 1'],
    ['port = 1\nport = 2\n', 'line 2'],
    ['[email]\nbackend = "smtp"\n[email]\n', 'line 3'],
    ['port = \n', 'line 1'],
    ['\n\nnonsense\n', 'line 3'],
  ])('TOML such as %j is told with its line', (toml, line) => {
    expect(problemOf({ toml })).toMatch(
      new RegExp(`^svc.toml: ${line}: is not valid TOML \\(column \\d+\\)$`),
    );
  });

  test('lines of the secrets file have the form KEY=VALUE, and the prefix', () => {
    expect(problemOf({ secrets: '# a comment\n\nnonsense\nPORT=1\n' })).toBe(
      'svc.secrets.env: line 3: must have the form KEY=VALUE\nsvc.secrets.env: PORT: must begin with SVC_',
    );
  });
});

describe('fields that depend on others', () => {
  const ses = { SVC_EMAIL__BACKEND: 'ses', SVC_EMAIL__SES_PROFILE: 'accounts' };

  test.each([
    [{ SVC_TRANSPORT: 'cookie' }, 'SVC_TRANSPORT: must be bearer; cookie was removed in 0.7.0'],
    [
      { ...ses, SVC_EMAIL__SES_ACCESS_KEY_ID: 'a', SVC_EMAIL__SES_SECRET_ACCESS_KEY: 'b' },
      "SVC_EMAIL__SES_PROFILE: can't be set together with ses_access_key_id and ses_secret_access_key",
    ],
    [{ SVC_EMAIL__SES_ACCESS_KEY_ID: 'a' }, 'email.ses_secret_access_key: is required when'],
    [{ SVC_EMAIL__SES_SECRET_ACCESS_KEY: 'a' }, 'email.ses_access_key_id: is required when'],
    [{ SVC_EMAIL__BACKEND: 'smtp' }, 'email.smtp_host: is required with the smtp backend'],
    [{ SVC_EMAIL__BACKEND: 'pigeon' }, 'SVC_EMAIL__BACKEND: must be console, smtp or ses'],
    [
      {
        SVC_SMS__BACKEND: 'twilio',
        SVC_SMS__FROM_NUMBER: '+15551234567',
        SVC_SMS__TWILIO_ACCOUNT_SID: 'a',
      },
      'sms.twilio_auth_token: is required with the twilio backend',
    ],
    [
      { SVC_OAUTH__AUTO_LINK_VERIFIED_EMAILS: 'true', SVC_OAUTH__EXISTING_EMAIL_POLICY: 'refuse' },
      'SVC_OAUTH__EXISTING_EMAIL_POLICY: contradicts auto_link_verified_emails = true',
    ],
    [
      { SVC_ENABLE_METRICS: 'true', SVC_PORT: '8001', SVC_METRICS_PORT: '8001' },
      'SVC_METRICS_PORT: must differ from port, which is 8001 too',
    ],
    [
      { SVC_ENABLE_METRICS: 'true', SVC_PORT: '9464', SVC_HOST: '0.0.0.0' },
      'metrics_port: must differ from port, which is 9464 too',
    ],
    [{ SVC_MAIL_STORE: 'disk' }, 'SVC_MAIL_STORE: must be memory or database'],
    [{ SVC_MFA_REQUIRED: 'admins' }, 'SVC_MFA_REQUIRED: must be off, superusers or everyone'],
    [
      { SVC_SESSION_IDLE_TTL_SECONDS: '60' },
      'SVC_SESSION_IDLE_TTL_SECONDS: needs enable_session_list = true',
    ],
    [
      { SVC_NOTIFY_NEW_SIGN_IN: 'true', SVC_DATA_ENCRYPTION_KEY: 'A'.repeat(43) },
      'SVC_NOTIFY_NEW_SIGN_IN: needs enable_session_list = true',
    ],
    [
      { SVC_NOTIFY_NEW_SIGN_IN: 'true', SVC_ENABLE_SESSION_LIST: 'true' },
      'data_encryption_key: is required with notify_new_sign_in',
    ],
    [{ SVC_MAX_SESSIONS_PER_USER: '5' }, 'SVC_MAX_SESSIONS_PER_USER: needs enable_session_list = true'],
    [{ SVC_AUTHENTICATOR_COLLECTION: 'users' }, 'must differ from user_collection'],
    [{ SVC_PENDING_COLLECTION: 'users' }, 'SVC_PENDING_COLLECTION: must differ from user_collection'],
    [{ SVC_USER_COLLECTION: 'Token_Blacklist' }, 'must differ from'],
    [{ SVC_RATE_LIMIT_COLLECTION: 'users' }, 'SVC_RATE_LIMIT_COLLECTION: must differ from user_collection'],
    [
      { SVC_TABLE_PREFIX: 'acme_', SVC_PENDING_COLLECTION: 'ACME_users' },
      'SVC_PENDING_COLLECTION: must differ from user_collection',
    ],
    [
      { SVC_MIGRATION_COLLECTION: 'users_search_texts' },
      'SVC_MIGRATION_COLLECTION: must differ from users_search, the index of the user table',
    ],
    [
      { SVC_TABLE_PREFIX: 'p'.repeat(43) },
      'SVC_TABLE_PREFIX: must be letters, digits and underscores, at most 42',
    ],
    [{ SVC_USER_COLLECTION: 'sqlite_users' }, 'SVC_USER_COLLECTION: must not begin with sqlite_'],
    [{ SVC_DATABASE_SCHEMA: 'pg_accounts' }, 'SVC_DATABASE_SCHEMA: must not begin with pg_'],
    [{ SVC_USER_COLLECTION: 'drop table' }, 'SVC_USER_COLLECTION: must be letters, digits and underscores'],
    [{ SVC_JWT_ALGORITHM: 'none' }, 'SVC_JWT_ALGORITHM: must be HS256, HS384 or HS512'],
  ])('%j', (env, problem) => {
    expect(problemsOf({ env })).toHaveLength(1);
    expect(problemOf({ env })).toContain(problem);
  });

  test('two storage names that differ only by source are compared too', () => {
    expect(
      problemOf({ toml: 'user_collection = "people"', env: { SVC_MFA_CODE_COLLECTION: 'people' } }),
    ).toContain('SVC_MFA_CODE_COLLECTION: must differ from user_collection');
  });
});

test('everything that is wrong is told at once, each with its source and its key', () => {
  const told = problemOf({
    env: { SVC_JWT_SECRET: undefined, SVC_PORT: 'eighty', SVC_TRANSPORT: 'cookie' },
    secrets: 'SVC_SMS__BACKEND=pigeon\n',
    toml: 'api_prefix = "auth"\nnonsense = 1\n[email]\nbackend = "smtp"\n',
    arguments: { loginRateLimit: 'often', urls: { verify: '/verify' } },
  });
  expect(told.split('\n').sort()).toEqual([
    expect.stringMatching(/^arguments: loginRateLimit: must be limits/),
    'arguments: urls.verify: must be an absolute http or https URL',
    'environment: SVC_PORT: must be a whole number',
    'environment: SVC_TRANSPORT: must be bearer; cookie was removed in 0.7.0',
    'not set: email.smtp_host: is required with the smtp backend: set SVC_EMAIL__SMTP_HOST in the environment or the field in the configuration file',
    expect.stringMatching(
      /^not set: jwt_secret: is required: set SVC_JWT_SECRET in the environment or in .*svc.secrets.env$/,
    ),
    'svc.secrets.env: SVC_SMS__BACKEND: must be console, sns or twilio',
    expect.stringMatching(/^svc.toml: api_prefix: must be a path/),
    'svc.toml: nonsense: is not a setting',
  ]);
});

test('a missing setting is not reported while a file that may hold it cannot be read', () => {
  const env = { SVC_JWT_SECRET: undefined };
  expect(problemsOf({ env: { ...env, SVC_SECRETS: 'absent.env' } })).toHaveLength(1);
  expect(problemsOf({ env, toml: 'jwt_secret = "' })).toHaveLength(1);
});
