import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEachBackend } from '../support/backends.ts';
import { type Mailbox, startMailbox } from '../support/mailbox.ts';
import { startOidc } from '../support/oidc.ts';
import { emptyFolder, svc } from './support.ts';

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await startMailbox({ auth: { user: 'acme', pass: 'right password' } });
});
afterAll(() => mailbox.close());

/** The checks of a configuration, in a folder whose database is migrated unless told otherwise. */
async function validate(env: Record<string, string> = {}, args: string[] = [], { migrated = true } = {}) {
  const cwd = await emptyFolder();
  if (migrated) await svc(['migrate'], { cwd });
  const { code, stdout, stderr } = await svc(['validate', '--json', ...args], { cwd, env });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; outcome: string; detail: string }[] };
  const of = (name: string) => checks.filter(check => check.name === name);
  return { code, stdout, stderr, checks, of, failed: checks.filter(({ outcome }) => outcome === 'fail') };
}

const smtp = (password: string) => ({
  SVC_EMAIL__BACKEND: 'smtp',
  SVC_EMAIL__SMTP_HOST: mailbox.host,
  SVC_EMAIL__SMTP_PORT: String(mailbox.port),
  SVC_EMAIL__SMTP_STARTTLS: 'false',
  SVC_EMAIL__SMTP_USERNAME: 'acme',
  SVC_EMAIL__SMTP_PASSWORD: password,
});

test('a fresh set-up passes, one line a check, and says which files it read', async () => {
  const cwd = await emptyFolder();
  await svc(['init', '--yes'], { cwd, env: {} });
  await svc(['migrate'], { cwd });
  const { code, stdout, stderr } = await svc(['validate'], { cwd });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^read .*svc\.toml and .*svc\.secrets\.env\n$/)]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toMatch(/^\d+ ok, \d+ to look at, 0 failed, \d+ left out$/);
  expect(stdout).toMatch(/^ok {4}database +SQLite at \.\/svc\.db answers$/m);
  expect(stdout).toMatch(/^ok {4}schema /m);
  expect(stdout).toMatch(/^ok {4}limits +16 routes are limited, counted in the database$/m);
  expect(stdout).toMatch(/^warn {2}mail +mails are printed, not sent/m);
});

test('a schema that is not there is a failure that names svc migrate', async () => {
  const { code, failed } = await validate({}, [], { migrated: false });
  expect(code).toBe(1);
  expect(failed).toEqual([
    { name: 'schema', outcome: 'fail', detail: expect.stringContaining('svc migrate') },
  ]);
});

test('everything that is wrong with a configuration is told at once, and no secret', async () => {
  const env = { SVC_JWT_SECRET: 'hunter2', SVC_PORT: 'eighty', SVC_TRANSPORT: 'cookie' };
  const { code, stdout, failed } = await validate(env, [], { migrated: false });
  expect(code).toBe(1);
  expect(failed.map(({ detail }) => detail).sort()).toEqual([
    expect.stringMatching(/SVC_JWT_SECRET: must have at least 32/),
    expect.stringMatching(/SVC_PORT: must be a whole number/),
    expect.stringMatching(/SVC_TRANSPORT: must be bearer/),
  ]);
  expect(stdout).not.toContain('hunter2');
});

test('secrets that others can read are told', async () => {
  if (process.platform === 'win32') return;
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'svc.secrets.env'), '# nothing\n', { mode: 0o644 });
  const { stdout } = await svc(['validate'], { cwd });
  expect(stdout).toMatch(/^warn {2}configuration .*can be read by others: chmod 600/m);
});

test('a database that does not answer is one line without its password', async () => {
  const { code, failed, stdout } = await validate({
    SVC_DATABASE_URL: 'postgresql://ada:hunter2@127.0.0.1:1/accounts',
  });
  expect(code).toBe(1);
  expect(failed).toEqual([
    {
      name: 'database',
      outcome: 'fail',
      detail:
        'PostgreSQL at 127.0.0.1:1 does not answer (ECONNREFUSED). Check that it runs and is reachable.',
    },
  ]);
  expect(stdout).not.toContain('hunter2');
});

test('a mail server is connected to and signed in at, without a mail', async () => {
  const before = mailbox.mails.length;
  const { of } = await validate(smtp('right password'));
  expect(of('mail')).toEqual([
    {
      name: 'mail',
      outcome: 'ok',
      detail: `${mailbox.host}:${mailbox.port} answers, with no encryption, signed in as acme`,
    },
  ]);
  expect(mailbox.mails).toHaveLength(before);
  const wrong = await validate(smtp('wrong password'));
  expect(wrong.code).toBe(1);
  expect(wrong.of('mail')[0]).toMatchObject({
    outcome: 'fail',
    detail: expect.stringContaining('refused the username or the password'),
  });
  expect(wrong.stdout).not.toContain('wrong password');
});

test('--send-test-email sends one mail there', async () => {
  const { code, of } = await validate(smtp('right password'), [
    '--send-test-email',
    ' Ann@Recipient.example',
  ]);
  expect(code).toBe(0);
  expect(of('mail')[1]).toMatchObject({
    outcome: 'ok',
    detail: expect.stringContaining('ann@recipient.example was taken'),
  });
  const mail = await mailbox.waitFor(({ to }) => to.includes('ann@recipient.example'));
  expect(mail.subject).toBe('Test mail from Gatehouse');
});

test('a test mail that is refused is a failure, with what the server said', async () => {
  mailbox.behave({ reject: 550, times: 1 });
  const { code, of } = await validate(smtp('right password'), ['--send-test-email', 'ann@recipient.example']);
  expect(code).toBe(1);
  expect(of('mail')[1]).toMatchObject({
    outcome: 'fail',
    detail: expect.stringMatching(/^the test mail was not taken: .*550/),
  });
});

test('links that lead to this machine while mails are really sent deserve a look', async () => {
  const { of } = await validate(smtp('right password'));
  expect(of('addresses').map(({ outcome }) => outcome)).toEqual(['ok', 'warn']);
});

test('the provider of external sign-in is asked for what it publishes, and its issuer compared', async () => {
  const oidc = await startOidc();
  const oauth = (issuer: string) => ({
    SVC_ENABLE_OAUTH: 'true',
    SVC_OAUTH__GOOGLE_CLIENT_ID: 'acme',
    SVC_OAUTH__GOOGLE_CLIENT_SECRET: 'hunter2',
    SVC_OAUTH__GOOGLE_ISSUER: issuer,
  });
  const right = await validate(oauth(oidc.issuer));
  expect(right.of('sign-in')).toEqual([
    {
      name: 'sign-in',
      outcome: 'ok',
      detail: expect.stringMatching(/redirect URI http\S+\/oauth\/google\/callback$/),
    },
  ]);
  // The same provider by another name says that it is somebody else.
  const wrong = await validate(oauth(oidc.issuer.replace('127.0.0.1', 'localhost')));
  expect(wrong.code).toBe(1);
  expect(wrong.of('sign-in')[0]).toMatchObject({
    outcome: 'fail',
    detail: expect.stringContaining('issuer'),
  });
  expect(wrong.stdout).not.toContain('hunter2');
  await oidc.close();
  const gone = await validate(oauth(oidc.issuer));
  expect(gone.of('sign-in')[0]).toMatchObject({
    outcome: 'fail',
    detail: expect.stringContaining('ECONNREFUSED'),
  });
  const absent = await validate({ SVC_ENABLE_OAUTH: 'true' });
  expect(absent.of('sign-in')[0]).toMatchObject({
    outcome: 'warn',
    detail: expect.stringContaining('svc oauth setup'),
  });
});

test('limits that are counted in a Redis that is away are a failure', async () => {
  const env = { SVC_LOGIN_RATE_LIMIT: '5/minute', SVC_RATE_LIMIT_STORE_URL: 'redis://:hunter2@127.0.0.1:1' };
  const { code, of, stdout } = await validate(env);
  expect(code).toBe(1);
  expect(of('limits')[0]).toMatchObject({
    outcome: 'fail',
    detail: expect.stringContaining('Redis does not count'),
  });
  expect(stdout).not.toContain('hunter2');
});

test('text messages are looked at while the second factor is on', async () => {
  const twilio = {
    SVC_ENABLE_SMS_2FA: 'true',
    SVC_SMS__BACKEND: 'sns',
    SVC_SMS__SNS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'hunter2',
  };
  const { of, stdout } = await validate(twilio);
  expect(of('text messages')).toEqual([
    {
      name: 'text messages',
      outcome: 'ok',
      detail: expect.stringContaining('eu-west-1, with the key …MPLE'),
    },
  ]);
  expect(stdout).not.toContain('hunter2');
  expect((await validate()).of('text messages')[0]).toMatchObject({ outcome: 'skip' });
});

describeEachBackend(
  'svc validate on a database',
  backend => {
    test('says where it is, in what state, and counts requests in it, without its password', async () => {
      const { url, drop } = await backend.createDatabase();
      const env = { SVC_DATABASE_URL: url, SVC_LOGIN_RATE_LIMIT: '5/minute' };
      expect((await validate(env, [], { migrated: false })).failed).toEqual([
        { name: 'schema', outcome: 'fail', detail: expect.stringContaining('svc migrate') },
      ]);
      await svc(['migrate'], { env });
      const { of, stdout } = await validate(env, [], { migrated: false });
      expect(of('database')[0]).toMatchObject({
        outcome: 'ok',
        detail: expect.stringMatching(/^\w+ at .* answers$/),
      });
      expect(of('schema')[0]).toMatchObject({ outcome: 'ok' });
      expect(of('limits')[0]).toMatchObject({
        outcome: 'ok',
        detail: '1 route is limited, counted in the database',
      });
      const password = /:\/\/[^:/@]*:([^@]+)@/.exec(url)?.[1];
      if (password) expect(stdout).not.toContain(password);
      await drop();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
