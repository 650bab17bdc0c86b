import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeStory } from '../support/backends.ts';
import { built } from '../support/built.ts';
import { type Mailbox, startMailbox } from '../support/mailbox.ts';
import { startOidc } from '../support/oidc.ts';
import { Program } from '../support/program.ts';
import { emptyFolder, jwtSecret, svc, validate } from './support.ts';

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await startMailbox({ auth: { user: 'acme', pass: 'right password' } });
});
afterAll(() => mailbox.close());

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
  expect(stdout).toContain(` SQLite at ${join(cwd, 'svc.db')} is reachable\n`);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^read .*svc\.toml and .*svc\.secrets\.env\n$/)]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toMatch(/^\d+ ok, \d+ with a warning, 0 failed, \d+ skipped$/);
  expect(stdout).toMatch(/^ok {4}schema /m);
  expect(stdout).toMatch(/^ok {4}passkeys +belong to localhost, on the pages of http:\/\/localhost:8000$/m);
  expect(stdout).toMatch(/^ok {4}limits +30 routes are limited, counted in the database$/m);
  expect(stdout).toMatch(/^warn {2}mail +emails are printed, not sent/m);
});

test('a schema that is not there is a failure that names svc migrate', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'svc.db'), '');
  const { code, stdout } = await svc(['validate'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^fail {2}schema +is not installed, or is older than this version: run svc migrate$/m,
  );
});

test('a file that is not there is a failure that says where it was looked for, and is not made', async () => {
  const cwd = await emptyFolder();
  const { code, stdout } = await svc(['validate'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain(` There is no SQLite file ${join(cwd, 'svc.db')}: run this command in the`);
  expect(existsSync(join(cwd, 'svc.db'))).toBe(false);
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

  const toml = await emptyFolder();
  await writeFile(join(toml, 'svc.toml'), `jwt_secret = "${'hunter2'.repeat(6)}"\n`, { mode: 0o644 });
  const warned = await svc(['validate'], { cwd: toml });
  expect(warned.stdout).toMatch(
    /^warn {2}configuration .*svc\.toml contains jwt_secret and can be read by others/m,
  );
  expect(warned.stdout + warned.stderr).not.toContain('hunter2');
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
      detail: 'PostgreSQL at 127.0.0.1:1 is unreachable (ECONNREFUSED). Check that it runs and is reachable.',
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
      detail: `connected to ${mailbox.host}:${mailbox.port} with no encryption, signed in as acme`,
    },
  ]);
  expect(mailbox.mails).toHaveLength(before);
  const wrong = await validate(smtp('wrong password'));
  expect(wrong.code).toBe(1);
  expect(wrong.of('mail')[0]).toMatchObject({
    outcome: 'fail',
    detail: expect.stringContaining('rejected the user name or the password'),
  });
  expect(wrong.stdout).not.toContain('wrong password');
});

test('a mail server that offers no sign-in is a warning', async () => {
  const open = await startMailbox();
  onTestFinished(() => open.close());
  const { code, of } = await validate({ ...smtp('any password'), SVC_EMAIL__SMTP_PORT: String(open.port) });
  expect(code).toBe(0);
  expect(of('mail')).toEqual([
    {
      name: 'mail',
      outcome: 'warn',
      detail: expect.stringContaining('not signed in as acme: the server offers no sign-in'),
    },
  ]);
});

test('--send-test-email sends one mail there', async () => {
  const { code, of } = await validate(smtp('right password'), [
    '--send-test-email',
    ' Ann@Recipient.example',
  ]);
  expect(code).toBe(0);
  expect(of('mail')[1]).toMatchObject({
    outcome: 'ok',
    detail: expect.stringContaining('ann@recipient.example was accepted'),
  });
  const mail = await mailbox.waitFor(({ to }) => to.includes('ann@recipient.example'));
  expect(mail.subject).toBe('Test email from Gatehouse');
});

test('a test mail that is refused is a failure, with what the server said', async () => {
  mailbox.behave({ reject: 550, times: 1 });
  const { code, of } = await validate(smtp('right password'), ['--send-test-email', 'ann@recipient.example']);
  expect(code).toBe(1);
  expect(of('mail')[1]).toMatchObject({
    outcome: 'fail',
    detail: expect.stringMatching(/^the test email was not accepted: .*550/),
  });
});

test('every mail and page is rendered, also those of features that are off', async () => {
  const dir = await emptyFolder();
  const env = { SVC_EXTRA_TEMPLATE_DIRS: dir };
  const write = async (name: string, source: string) => {
    await mkdir(join(dir, name, '..'), { recursive: true });
    await writeFile(join(dir, name), source);
  };
  expect((await validate()).of('templates')).toEqual([
    {
      name: 'templates',
      outcome: 'ok',
      detail: 'every email and page can be rendered, with the bundled ones',
    },
  ]);
  expect((await validate(env)).of('templates')[1]).toMatchObject({
    outcome: 'warn',
    detail: expect.stringContaining(`${dir} contains no template`),
  });

  await write('mail/phone-set.text.liquid', '{{ phone }}');
  await write('mail/verfication.text.liquid', '{{ url }}');
  await write('pages/login.liquid', "{% render 'pages/our-form.liquid' %}");
  await write('pages/our-form.liquid', '<form></form>');
  const right = await validate(env);
  expect(right.code).toBe(0);
  expect(right.of('templates')).toEqual([
    expect.objectContaining({ detail: 'every email and page can be rendered, with 4 of your own' }),
    {
      name: 'templates',
      outcome: 'warn',
      detail: `${join(dir, 'mail/verfication.text.liquid')} is not used: there is no bundled template of this name`,
    },
  ]);

  await write('mail/phone-set.text.liquid', 'one\n{% if phone %}');
  await write('pages/admin.liquid', '{{ app_name | frob }}');
  const wrong = await validate(env);
  expect(wrong.code).toBe(1);
  expect(wrong.failed.map(({ name, detail }) => [name, detail])).toEqual([
    ['templates', `${join(dir, 'mail/phone-set.text.liquid')}: line 2: tag {% if phone %} not closed`],
    ['templates', `${join(dir, 'pages/admin.liquid')}: line 1: undefined filter: frob`],
  ]);
  const absent = await validate({ SVC_EXTRA_TEMPLATE_DIRS: `${dir}/brnd` });
  expect(absent.failed.map(({ detail }) => detail)).toEqual([
    `extra_template_dirs: ${dir}/brnd: There is no such directory.`,
  ]);
});

test('links that lead to this machine while mails are really sent deserve a look', async () => {
  const { of } = await validate(smtp('right password'));
  expect(of('addresses').map(({ outcome }) => outcome)).toEqual(['ok', 'warn']);
});

test('links of features and of administration that lead out over plain http deserve a look', async () => {
  const urls = {
    SVC_URLS__ACCEPT_INVITATION: 'http://invitations.example/accept',
    SVC_URLS__NOT_ME: 'http://reports.example/not-me',
  };
  const features = {
    SVC_ENABLE_ADMIN_ROUTER: 'true',
    SVC_ENABLE_SESSION_LIST: 'true',
    SVC_NOTIFY_NEW_SIGN_IN: 'true',
  };
  const of = async (env: object) => (await validate({ ...urls, ...env })).of('addresses');
  expect((await of({ ...features, SVC_DATA_ENCRYPTION_KEY: 'A'.repeat(43) })).at(-1)).toEqual({
    ...{ name: 'addresses', outcome: 'warn' },
    detail: 'links use plain http to invitations.example, reports.example',
  });
  expect((await of({})).map(({ outcome }) => outcome)).toEqual(['ok']);
});

test('an audience of tokens that is not this site deserves a look', async () => {
  const of = async (audience: string) => (await validate({ SVC_JWT_AUDIENCE: audience })).of('addresses');
  expect((await of('https://other.example')).at(-1)).toEqual({
    ...{ name: 'addresses', outcome: 'warn' },
    detail: 'jwt_audience is https://other.example, and not the origin of base_url',
  });
  expect((await of('http://localhost:8000')).map(({ outcome }) => outcome)).toEqual(['ok']);
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
      detail: expect.stringMatching(
        /redirect URI http\S+\/oauth\/google\/callback must be registered there$/,
      ),
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
    detail: 'Redis at 127.0.0.1:1 is unreachable (ECONNREFUSED): nothing listens there.',
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

describeStory(
  'svc validate on a database',
  backend => {
    test('says where it is, in what state, and counts requests in it, without its password', async () => {
      const { url, drop } = await backend.createDatabase();
      const env = { SVC_DATABASE_URL: url, SVC_LOGIN_RATE_LIMIT: '5/minute' };
      const name = backend.name === 'sqlite' ? 'database' : 'schema';
      expect((await validate(env, [], { migrated: false })).failed).toEqual([
        { name, outcome: 'fail', detail: expect.stringContaining('svc migrate') },
      ]);
      await svc(['migrate'], { env });
      const { of, stdout } = await validate(env, [], { migrated: false });
      expect(of('database')[0]).toMatchObject({
        outcome: 'ok',
        detail: expect.stringMatching(/^\w+ at .* is reachable$/),
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

test('an optional package that a setting needs and that is not installed is a failure that names it', async () => {
  // As in a folder where it is not installed.
  const absent = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name !== 'prom-client') return next(name, context);
      const error = new Error("Cannot find package 'prom-client' imported from here");
      throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' });
    } });`)}`;
  const validated = new Program(['--import', absent, await built('svc'), 'validate'], {
    cwd: await emptyFolder(),
    env: { SVC_JWT_SECRET: jwtSecret, SVC_ENABLE_METRICS: 'true' },
  });
  expect(await validated.ended()).toBe(1);
  expect(validated.output).toMatch(
    /^fail {2}packages +enable_metrics needs the package prom-client: npm install prom-client$/m,
  );
});

test('prefixes that collide are a failure', async () => {
  const { code, failed } = await validate(
    { SVC_ENABLE_UI_ROUTER: 'true', SVC_UI_PREFIX: '/api/auth', SVC_STATIC_PREFIX: '/api/auth/admin' },
    [],
    { migrated: false },
  );
  expect(code).toBe(1);
  expect(failed.map(({ detail }) => detail)).toEqual([
    'environment: SVC_UI_PREFIX: must differ from api_prefix',
    'environment: SVC_STATIC_PREFIX: lies within /api/auth/admin, which belongs to the API',
  ]);
});

test('a template of secrets that was not filled in is a failure, without showing what is', async () => {
  const { code, failed, stdout } = await validate(
    {
      SVC_JWT_SECRET: '<JWT_SECRET>',
      SVC_DATABASE_URL: 'postgresql://hunter2:<PASSWORD>@db.internal/accounts',
    },
    [],
    { migrated: false },
  );
  expect(code).toBe(1);
  expect(failed.map(({ detail }) => detail)).toEqual([
    'environment: SVC_JWT_SECRET: still contains the placeholder <JWT_SECRET>: replace it with the real value',
    'environment: SVC_DATABASE_URL: still contains the placeholder <PASSWORD>: replace it with the real value',
  ]);
  expect(stdout).not.toContain('hunter2');
});

test('which proxies are trusted is reported', async () => {
  const of = async (env: Record<string, string>) => (await validate(env)).of('proxies')[0];
  expect(await of({})).toMatchObject({ outcome: 'ok' });
  expect(await of({ SVC_BEHIND_PROXY: 'true' })).toMatchObject({
    outcome: 'warn',
    detail: expect.stringContaining('trusted_proxies is empty'),
  });
  expect(await of({ SVC_BEHIND_PROXY: 'true', SVC_TRUSTED_PROXIES: '10.0.0.0/8' })).toMatchObject({
    outcome: 'ok',
  });
  expect(await of({ SVC_TRUSTED_PROXIES: '0.0.0.0/0,::/0' })).toMatchObject({
    outcome: 'warn',
    detail: expect.stringContaining('0.0.0.0/0 and ::/0'),
  });
});
