import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { camelCase, environmentName, fields } from '../../src/config/names.ts';
import { Secret } from '../../src/config/secret.ts';
import { load, problemOf, problemsOf } from './support.ts';

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

describe('a signing secret', () => {
  test('is never made up', () => {
    const unset = { SVC_JWT_SECRET: undefined };
    expect(problemOf({ env: unset })).toMatch(
      /^not set: jwt_secret: is required: set SVC_JWT_SECRET in the environment or in .*svc.secrets.env, which is not there \(`svc init` makes both\)$/,
    );
    expect(problemOf({ env: { SVC_JWT_SECRET: '' } })).toContain("SVC_JWT_SECRET: can't be empty");
    expect(problemOf({ env: unset, toml: 'jwt_secret = ""' })).toContain("jwt_secret: can't be empty");
    expect(problemOf({ env: unset, secrets: 'SVC_JWT_SECRET=' })).toContain("can't be empty");
  });

  test('has at least 32 characters, and so has the previous one', () => {
    for (const name of ['SVC_JWT_SECRET', 'SVC_JWT_SECRET_PREVIOUS']) {
      expect(problemOf({ env: { [name]: 'x'.repeat(31) } })).toBe(
        `environment: ${name}: must have at least 32 characters: \`svc init\` makes one`,
      );
      expect(problemsOf({ env: { [name]: 'x'.repeat(32) } })).toEqual([]);
    }
  });
});

describe('whoever reads a log or an error message', () => {
  const secrets = fields.filter(field => field.isSecret);

  test('the fields that hold secrets are known as such', () => {
    expect(secrets.map(({ path }) => path.join('.'))).toEqual([
      ...['database_url', 'jwt_secret', 'jwt_secret_previous', 'rate_limit_store_url', 'email.smtp_password'],
      ...['email.ses_access_key_id', 'email.ses_secret_access_key', 'sms.twilio_auth_token'],
      'oauth.google_client_secret',
    ]);
  });

  test('sees no secret in any print of the configuration', () => {
    const database = `postgresql+asyncpg://u:${planted}@h/db`;
    const env = Object.fromEntries(secrets.map(({ path }) => [environmentName(path), planted]));
    const { config } = load({ env: { ...env, SVC_DATABASE_URL: database } });
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
      ...problemsOf({ env: { SVC_EMAIL__SES_PROFILE: 'p', SVC_EMAIL__SES_ACCESS_KEY_ID: planted } }),
    ];
    expect(told.length).toBeGreaterThan(15);
    expect(told.filter(problem => JSON.stringify(problem).includes('hunter2'))).toEqual([]);
  });
});
