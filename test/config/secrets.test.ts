import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { camelCase, environmentName, fields } from '../../src/config/names.ts';
import { Secret } from '../../src/config/secret.ts';
import { folderWith, load, problemOf, problemsOf } from './support.ts';

const planted = 'hunter2-hunter2-hunter2-hunter2-hunter2';

describe('the secrets file', () => {
  test.each([
    ['SVC_APP_NAME=Acme', 'Acme'],
    ['export SVC_APP_NAME=Acme', 'Acme'],
    ['  SVC_APP_NAME = Acme  ', 'Acme'],
    ['SVC_APP_NAME="Acme & Co"', 'Acme & Co'],
    ["SVC_APP_NAME=' Acme '", ' Acme '],
    ['SVC_APP_NAME=a=b#c', 'a=b#c'],
    ['# a comment\n\n\t\nSVC_APP_NAME=Acme\n', 'Acme'],
    ['SVC_APP_NAME=Acme\r\nSVC_PORT=1\r\n', 'Acme'],
    ['SVC_APP_NAME=first\nSVC_APP_NAME=second', 'second'],
  ])('%j', (secrets, appName) => {
    expect(load({ secrets }).config.appName).toBe(appName);
  });
});

describe.skipIf(process.platform === 'win32')('a file that others can read', () => {
  /** The warnings about files, with their names alone. */
  function warnings(given: { toml?: string; secrets?: string }, mode: number): string[] {
    const cwd = folderWith(given);
    for (const name of readdirSync(cwd)) chmodSync(join(cwd, name), mode);
    return load(given, cwd)
      .warnings.filter(warning => warning.includes('read by others'))
      .map(warning => warning.replaceAll(`${cwd}/`, ''));
  }
  const smtp = `[email]\nbackend = "smtp"\nsmtp_host = "mail.example"\nsmtp_password = "${planted}"\n`;
  const advice = 'move secrets to svc.secrets.env, or chmod 600 svc.toml';

  test.each([
    ['a signing secret', `jwt_secret = "${planted}"`, 'jwt_secret'],
    ['a password in a table', smtp, 'email.smtp_password'],
    [
      'a password in an inline table',
      `oauth = { google_client_secret = "${planted}" }`,
      'oauth.google_client_secret',
    ],
    ['an address with a password', `database_url = "postgresql://svc:${planted}@db/svc"`, 'database_url'],
    ['several', `jwt_secret = "${planted}"\n${smtp}`, 'jwt_secret, email.smtp_password'],
  ])('is warned about when svc.toml holds %s', (_, toml, keys) => {
    const warning = `svc.toml contains ${keys} and can be read by others: ${advice}`;
    for (const mode of [0o644, 0o640, 0o604]) expect(warnings({ toml }, mode)).toEqual([warning]);
    expect(warnings({ toml }, 0o600)).toEqual([]);
  });

  test.each([
    ['nothing secret', 'app_name = "Acme"'],
    ['the name of a file', 'database_url = "sqlite:///./svc.db"'],
    [
      'an address without a password',
      'database_url = "postgresql://svc@db.example:5432/svc?sslmode=require"',
    ],
    ['a socket without a password', 'rate_limit_store_url = "redis://cache.example:6379"'],
  ])('is fine when svc.toml holds %s', (_, toml) => {
    expect(warnings({ toml }, 0o644)).toEqual([]);
  });

  test('is warned about when it is the secrets file', () => {
    const secrets = `SVC_JWT_SECRET=${planted}`;
    expect(warnings({ secrets }, 0o644)).toHaveLength(1);
    expect(warnings({ secrets }, 0o600)).toEqual([]);
  });
});

describe('a signing secret', () => {
  test('is never made up', () => {
    const unset = { SVC_JWT_SECRET: undefined };
    expect(problemOf({ env: unset })).toMatch(
      /^not set: jwt_secret: is required: set SVC_JWT_SECRET in the environment or in .*svc.secrets.env, which does not exist \(`svc init` creates both\)$/,
    );
    expect(problemOf({ env: { SVC_JWT_SECRET: '' } })).toContain("SVC_JWT_SECRET: can't be empty");
    expect(problemOf({ env: unset, toml: 'jwt_secret = ""' })).toContain("jwt_secret: can't be empty");
    expect(problemOf({ env: unset, secrets: 'SVC_JWT_SECRET=' })).toContain("can't be empty");
  });

  test('has at least 32 characters, and so has the previous one', () => {
    for (const name of ['SVC_JWT_SECRET', 'SVC_JWT_SECRET_PREVIOUS']) {
      expect(problemOf({ env: { [name]: 'x'.repeat(31) } })).toBe(
        `environment: ${name}: must have at least 32 characters: \`svc init\` generates one`,
      );
      expect(problemsOf({ env: { [name]: 'x'.repeat(32) } })).toEqual([]);
    }
  });
});

describe('a data encryption key', () => {
  test('is 32 bytes in base64url, and so is the previous one', () => {
    for (const name of ['SVC_DATA_ENCRYPTION_KEY', 'SVC_DATA_ENCRYPTION_KEY_PREVIOUS']) {
      for (const text of ['A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}+`, 'a passphrase']) {
        expect(problemOf({ env: { [name]: text } })).toBe(
          `environment: ${name}: must be 32 bytes in base64url (43 characters): \`svc init\` generates one`,
        );
      }
      // With and without padding (RFC 4648 §3.2).
      for (const text of ['A'.repeat(43), `${'A'.repeat(43)}=`]) {
        expect(problemsOf({ env: { [name]: text } })).toEqual([]);
      }
    }
  });

  test('is required where something must be read back, and the message says how to make one', () => {
    expect(problemOf({ env: { SVC_ENABLE_TOTP: 'true' } })).toMatch(
      /^not set: data_encryption_key: is required with enable_totp: make one with `openssl rand -base64 32 \| tr \+\/ -_`, or by `svc init`: set SVC_DATA_ENCRYPTION_KEY in the environment or in /,
    );
    expect(problemOf({ env: { SVC_MAIL_STORE: 'database' } })).toContain(
      'data_encryption_key: is required with mail_store = database: make one with',
    );
  });
});

describe('a reader of a log or an error message', () => {
  const secrets = fields.filter(field => field.isSecret);

  test('the fields that hold secrets are known as such', () => {
    expect(secrets.map(({ path }) => path.join('.'))).toEqual([
      ...['database_url', 'jwt_secret', 'jwt_secret_previous', 'data_encryption_key'],
      ...['data_encryption_key_previous', 'rate_limit_store_url', 'email.smtp_password'],
      ...['email.ses_access_key_id', 'email.ses_secret_access_key', 'sms.twilio_auth_token'],
      'oauth.google_client_secret',
    ]);
  });

  test('sees no secret in any print of the configuration', () => {
    const database = `postgresql+asyncpg://u:${planted}@h/db`;
    const env = Object.fromEntries(secrets.map(({ path }) => [environmentName(path), planted]));
    const store = `redis://:${planted}@h:6379`;
    const key = `${planted}-key`;
    const { config } = load({
      env: {
        ...{ ...env, SVC_DATABASE_URL: database, SVC_RATE_LIMIT_STORE_URL: store },
        ...{ SVC_DATA_ENCRYPTION_KEY: key, SVC_DATA_ENCRYPTION_KEY_PREVIOUS: key },
      },
    });
    const values = secrets.map(({ path }) =>
      path.map(camelCase).reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], config),
    );
    expect(values.every(value => value instanceof Secret)).toBe(true);
    expect(config.jwtSecret.reveal()).toBe(planted);

    const prints = [
      ...[JSON.stringify(config), inspect(config, { depth: 9, showHidden: true }), String(config)],
      ...[inspect(config, { depth: 9, customInspect: false }), `${config.databaseUrl}`],
      ...values.flatMap(value => [`${value}`, `${value as string} `.concat(String(value)), inspect(value)]),
      ...values.map(value => JSON.stringify(Object.entries(value as object))),
    ];
    expect(prints.filter(print => print.includes('hunter2'))).toEqual([]);
  });

  test('sees no secret in an error about it, whichever source it came from', () => {
    const short = 'hunter2';
    const wrong = (value: unknown) => ({
      ...{ jwtSecret: value, databaseUrl: value, email: { smtpPassword: value }, rateLimitStoreUrl: value },
    });
    const told = [
      ...problemsOf({ env: { SVC_JWT_SECRET: short, SVC_DATABASE_URL: `mysql://u:${planted}@h/db` } }),
      ...problemsOf({
        secrets: `SVC_JWT_SECRET_PREVIOUS=${short}\nSVC_JWT_SECRETS=${planted}\n${planted}\n`,
      }),
      ...problemsOf({ toml: `jwt_secret_previous = "${short}"\njwt_secrets = "${planted}"` }),
      ...problemsOf({ toml: `jwt_secret = ${planted}\n` }),
      ...problemsOf({ toml: `jwt_secret = "${planted}\n` }),
      ...problemsOf({ toml: `[jwt_secret]\n"${planted}" = 1\n` }),
      ...problemsOf({ arguments: wrong({ planted }) as object }),
      ...problemsOf({ arguments: wrong([planted]) as object }),
      ...problemsOf({ env: { SVC_DATA_ENCRYPTION_KEY: planted } }),
      ...problemsOf({ env: { SVC_EMAIL__SES_PROFILE: 'p', SVC_EMAIL__SES_ACCESS_KEY_ID: planted } }),
    ];
    expect(told.length).toBeGreaterThan(15);
    expect(told.filter(problem => JSON.stringify(problem).includes('hunter2'))).toEqual([]);
  });
});
