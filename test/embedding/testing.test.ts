import { mkdtemp, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import express from 'express';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { type GatehouseOptions, Refusal } from '../../src/index.ts';
import {
  createTestGatehouse,
  TestClock,
  type TestGatehouse,
  type TestOptions,
} from '../../src/testing/index.ts';
import { tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { silent } from '../support/embedded.ts';
import { listen } from '../support/listening.ts';

// The kit for the tests of a host (CONTRACT §14).

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const open = async (options?: TestOptions) => {
  const gatehouse = await createTestGatehouse(options);
  endings.push(() => gatehouse.close());
  return gatehouse;
};

/** Serves an instance in a host with a route of its own. */
async function serve(gatehouse: TestGatehouse) {
  const app = express();
  app.use(gatehouse.config.apiPrefix, gatehouse.router);
  app.get('/orders', gatehouse.requireSession({ mfa: false }), (req, res) => void res.json(req.auth.user));
  app.get('/payouts', gatehouse.requireSession({ mfa: true }), (req, res) => void res.json(req.auth.user));
  const { origin, close } = await listen(app);
  endings.push(close);
  return async (method: string, path: string, { token, body }: { token?: string; body?: object } = {}) => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
    return { status: response.status, body: (await response.json()) as any };
  };
}

describe('createUser', () => {
  test('returns a verified user and the password, with which one signs in', async () => {
    const gatehouse = await open();
    const ask = await serve(gatehouse);
    const { user, password } = await gatehouse.createUser();
    expect(user).toMatchObject({ isActive: true, isVerified: true, isSuperuser: false, fullName: null });
    const { status, body } = await ask('POST', '/api/auth/login', { body: { email: user.email, password } });
    expect(status).toBe(200);
    const me = await ask('GET', '/api/auth/me', { token: body.access_token });
    expect(me.body).toMatchObject({ id: user.id, email: user.email });
  });

  test('takes what a test says of the user, in the form in which it is stored', async () => {
    const gatehouse = await open({ enableSms2fa: true });
    const { user, password } = await gatehouse.createUser({
      ...{ email: ' Ada@Example.org', password: 'another horse battery', fullName: 'Ada Lovelace' },
      ...{ isVerified: false, isSuperuser: true, isActive: false, phoneNumber: '+15550100999' },
    });
    expect(password).toBe('another horse battery');
    expect(user).toMatchObject({
      ...{ email: 'ada@example.org', fullName: 'Ada Lovelace', phoneNumber: '+15550100999' },
      ...{ isVerified: false, isSuperuser: true, isActive: false, isMfaEnabled: true },
    });
    expect(await gatehouse.repositories.users.find(user.id)).toMatchObject({ email: 'ada@example.org' });
  });

  test('gives an account without a password where that is wanted, and tells the types', async () => {
    const gatehouse = await open();
    const { user, password } = await gatehouse.createUser({ password: null });
    const none: null = password;
    expect(none).toBeNull();
    expect((await gatehouse.repositories.users.find(user.id))?.hashedPassword).toBeNull();
    const { password: some } = await gatehouse.createUser({ fullName: 'Ada' });
    const text: string = some;
    expect(text).toMatch(/./);
  });

  test('refuses what no account can have, and an address that is taken', async () => {
    const gatehouse = await open();
    for (const [field, value] of [
      ['email', 'ada'],
      ['password', 'short'],
      ['phoneNumber', '0800'],
      ['isAdmin', true],
    ] as const) {
      const made = gatehouse.createUser({ [field]: value });
      await expect(made).rejects.toMatchObject({ code: 'invalid_input', errors: [{ path: field }] });
    }
    await gatehouse.createUser({ email: 'ada@example.org' });
    await expect(gatehouse.createUser({ email: 'ADA@example.org' })).rejects.toMatchObject({
      code: 'email_taken',
    });
  });

  test('emits the event with which a host makes a row of its own, asks no hook and sends nothing', async () => {
    const refuse = () => {
      throw new Refusal('Nobody registers.');
    };
    const gatehouse = await open({ hooks: { beforeRegister: refuse } });
    const heard: string[] = [];
    gatehouse.on('user_registered', ({ user }) => void heard.push(user.id));
    const { user } = await gatehouse.createUser();
    expect(heard).toEqual([user.id]);
    expect(gatehouse.mails).toEqual([]);
  });
});

test('messages that wait in the database are sent when the operation has responded, too', async () => {
  const gatehouse = await open({ mailStore: 'database' });
  const ask = await serve(gatehouse);
  const { user } = await gatehouse.createUser();
  await ask('POST', '/api/auth/forgot-password', { body: { email: user.email } });
  expect(gatehouse.mails.map(({ kind }) => kind)).toEqual(['password-reset']);
  expect(await gatehouse.repositories.outbox.list({}, { limit: 1 })).toEqual([]);
});

describe('signIn', () => {
  test('returns a session, as after a sign-in', async () => {
    const gatehouse = await open({ enableSessionList: true });
    const ask = await serve(gatehouse);
    const { user } = await gatehouse.createUser();
    const heard: object[] = [];
    gatehouse.on('user_logged_in', ({ user, method }) => void heard.push([user.id, method]));
    const token = await gatehouse.signIn(user);
    expect((await ask('GET', '/orders', { token })).body).toMatchObject({ id: user.id });
    expect((await ask('GET', '/api/auth/sessions', { token })).body.items).toHaveLength(1);
    expect(heard).toEqual([[user.id, 'password']]);
    expect((await ask('GET', '/payouts', { token })).body.code).toBe('mfa_enrolment_required');
  });

  test('counts as made with two factors where the account has a second step, or the test says so', async () => {
    const gatehouse = await open({ enableSms2fa: true });
    const ask = await serve(gatehouse);
    const { user } = await gatehouse.createUser({ phoneNumber: '+15550100999' });
    const [both, one] = [await gatehouse.signIn(user), await gatehouse.signIn(user, { mfa: false })];
    expect((await ask('GET', '/payouts', { token: both })).status).toBe(200);
    expect((await ask('GET', '/payouts', { token: one })).body.code).toBe('recent_sign_in_required');
    expect(gatehouse.texts).toEqual([]);
  });

  test('refuses accounts that could not sign in', async () => {
    const gatehouse = await open({
      hooks: {
        beforeSignIn({ user }) {
          if (user.fullName === 'Mallory') throw new Refusal('Not you.');
        },
      },
    });
    for (const [fields, code] of [
      [{ isActive: false }, 'account_disabled'],
      [{ isVerified: false }, 'email_not_verified'],
      [{ fullName: 'Mallory' }, 'refused_by_host'],
    ] as const) {
      const { user } = await gatehouse.createUser(fields);
      await expect(gatehouse.signIn(user)).rejects.toMatchObject({ code });
    }
    await expect(gatehouse.signIn({ id: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('mails and texts', () => {
  test('of an operation are there when it has responded, those after the response too', async () => {
    const gatehouse = await open();
    const ask = await serve(gatehouse);
    const { user } = await gatehouse.createUser();
    for (let i = 1; i <= 20; i++) {
      await ask('POST', '/api/auth/forgot-password', { body: { email: user.email } });
      expect(gatehouse.mails).toHaveLength(i);
    }
    expect(gatehouse.mails.at(-1)).toMatchObject({ to: user.email, text: expect.stringContaining('token=') });
  });

  test('through GraphQL, too', async () => {
    const gatehouse = await open();
    const ask = await serve(gatehouse);
    const query =
      'mutation { register(input: { email: "ada@example.org", password: "correct horse" }) { __typename } }';
    await ask('POST', '/api/auth/graphql', { body: { query } });
    expect(gatehouse.mails.map(({ to }) => to)).toEqual(['ada@example.org']);
    const verified = await ask('POST', '/api/auth/verify', { body: { token: tokenOf(gatehouse.mails[0]!) } });
    expect(verified.body).toMatchObject({ email: 'ada@example.org' });
  });

  test('hold a code of the second step', async () => {
    const gatehouse = await open({ enableSms2fa: true });
    const ask = await serve(gatehouse);
    const { user, password } = await gatehouse.createUser({ phoneNumber: '+15550100999' });
    const { body } = await ask('POST', '/api/auth/login', { body: { email: user.email, password } });
    const code = /\d{6}$/.exec(gatehouse.texts[0]!.text)![0];
    const confirm = { mfa_pending_token: body.mfa_pending_token, code };
    expect((await ask('POST', '/api/auth/login/mfa-confirm', { body: confirm })).status).toBe(200);
  });

  test('pass through the senders of the host, and one that fails delays nothing', async () => {
    const sent: string[] = [];
    class HostMailer {
      closed = 0;
      async send({ to }: { to: string }) {
        if (to.startsWith('lost')) throw new Error('not now');
        sent.push(to);
      }
      async close() {
        this.closed++;
      }
    }
    const mailer = new HostMailer();
    const gatehouse = await createTestGatehouse({ mailer, logger: silent });
    const ask = await serve(gatehouse);
    for (const email of ['ada@example.org', 'lost@example.org']) {
      const { status } = await ask('POST', '/api/auth/register', {
        body: { email, password: 'correct horse' },
      });
      expect(status).toBe(201);
    }
    expect(sent).toEqual(['ada@example.org']);
    expect(gatehouse.mails.map(({ to }) => to)).toEqual(sent);
    await gatehouse.close();
    expect(mailer.closed).toBe(1);
  });
});

describe('the clock', () => {
  test('starts now, stands still, and ends sessions when it is advanced', async () => {
    const before = Date.now();
    const gatehouse = await open();
    const ask = await serve(gatehouse);
    const started = gatehouse.clock.now().getTime();
    expect(started).toBeGreaterThanOrEqual(before);
    expect(started).toBeLessThanOrEqual(Date.now());
    const token = await gatehouse.signIn((await gatehouse.createUser()).user);
    gatehouse.clock.advance(7_199_000);
    expect((await ask('GET', '/orders', { token })).status).toBe(200);
    gatehouse.clock.advance(1000);
    expect((await ask('GET', '/orders', { token })).status).toBe(401);
    expect(gatehouse.clock.now().getTime()).toBe(started + 7_200_000);
  });

  test('moves one that a test gives', async () => {
    const moment = new Date('2031-05-06T07:08:09.123Z');
    const gatehouse = await open({ clock: { now: () => moment } });
    gatehouse.clock.advance(1000);
    const { user } = await gatehouse.createUser();
    expect(user.createdAt).toEqual(new Date('2031-05-06T07:08:10.123Z'));
    const shared = new TestClock();
    const [one, other] = [await open({ clock: shared }), await open({ clock: shared })];
    shared.advance(1000);
    expect(one.clock.now()).toEqual(other.clock.now());
  });

  test('ends the time of a hook, so that no test waits for it', async () => {
    const asked = Promise.withResolvers<void>();
    const hooks = {
      beforeRegister() {
        asked.resolve();
        return new Promise(() => {});
      },
    };
    const gatehouse = await open({ hooks, logger: silent });
    const ask = await serve(gatehouse);
    const body = { email: 'ada@example.org', password: 'correct horse' };
    const registering = ask('POST', '/api/auth/register', { body });
    await asked.promise;
    gatehouse.clock.advance(2000);
    expect((await registering).body.code).toBe('unavailable');
  });
});

describe('the options', () => {
  test('are those of a host: what it gives counts', async () => {
    const gatehouse = await open({
      ...{ appName: 'Acme', loginRateLimit: '1/minute', loginLockoutThreshold: 1, enableTotp: true },
      databaseUrl: undefined,
    });
    expect(gatehouse.config).toMatchObject({ appName: 'Acme', requireVerification: true });
    const ask = await serve(gatehouse);
    const body = { email: 'ada@example.org', password: 'wrong horse' };
    // No limit is in the way.
    for (let i = 0; i < 10; i++)
      expect((await ask('POST', '/api/auth/login', { body })).body.code).toBe('invalid_credentials');
  });

  test('bring the limits back where a test is about them', async () => {
    const ask = await serve(await open({ limitsDisabled: false, loginLockoutThreshold: 1 }));
    const body = { email: 'ada@example.org', password: 'wrong horse' };
    await ask('POST', '/api/auth/login', { body });
    expect((await ask('POST', '/api/auth/login', { body })).status).toBe(429);
  });

  test('that are wrong are an error that lists them', async () => {
    const options = { loginRateLimt: '1/minute', hooks: { beforeLogin() {} } } as GatehouseOptions;
    await expect(createTestGatehouse(options)).rejects.toThrow(/loginRateLimt[\s\S]*hooks\.beforeLogin/);
  });

  test('decide, and not the environment', async () => {
    process.env.SVC_APP_NAME = 'The environment';
    try {
      expect((await open()).config.appName).toBe('Gatehouse');
    } finally {
      delete process.env.SVC_APP_NAME;
    }
  });

  test('name files that count, from the working directory', async () => {
    const folder = await mkdtemp(join(inject('temporaryFolder'), 'kit-'));
    await writeFile(join(folder, 'acme.toml'), 'app_name = "Acme"\nallow_registration = false\n');
    const configFile = relative(process.cwd(), join(folder, 'acme.toml'));
    const { config } = await open({ configFile, allowRegistration: true });
    expect(config).toMatchObject({ appName: 'Acme', allowRegistration: true, limitsDisabled: true });
  });

  test('make instances that share nothing', async () => {
    const [one, other] = [await open(), await open()];
    const { user } = await one.createUser();
    expect(await other.repositories.users.find(user.id)).toBeNull();
    expect(await other.authenticate(await one.signIn(user))).toBeNull();
  });
});

describe('the configuration file', () => {
  /** Opens an instance in a folder with this file, as a test of a host is run in its folder. */
  async function inFolder(toml: string, options?: TestOptions) {
    const folder = await mkdtemp(join(inject('temporaryFolder'), 'kit-'));
    await writeFile(join(folder, 'svc.toml'), toml);
    await writeFile(join(folder, 'svc.secrets.env'), 'SVC_APP_NAME=secret\nSVC_JWT_SECRET=short\n');
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
    return open(options).finally(() => cwd.mockRestore());
  }

  const shaping = `
    app_name = "Acme"
    base_url = "https://acme.example"
    api_prefix = "/auth"
    enable_ui_router = true
    enable_browser_sessions = true
    enable_admin_router = true
    allow_registration = false
    password_min_length = 12
    jwt_ttl_seconds = 60
    mail_store = "database"
    roles = ["editor"]
    [user_fields.company]
    label = "Company"
    [urls]
    verify = "https://acme.example/v/{token}"
  `;

  test('of the working directory shapes the instance; false leaves it out', async () => {
    const { config, requireSession, requireRole } = await inFolder(shaping);
    expect(config).toMatchObject({
      ...{ appName: 'Acme', baseUrl: 'https://acme.example', apiPrefix: '/auth', allowRegistration: false },
      ...{ enableAdminRouter: true, passwordMinLength: 12, jwtTtlSeconds: 60, roles: ['editor'] },
      userFields: { company: { label: 'Company' } },
      urls: { verify: 'https://acme.example/v/{token}' },
    });
    expect(requireSession({ browser: true })).toBeTypeOf('function');
    expect(requireRole('editor')).toBeTypeOf('function');
    expect((await inFolder(shaping, { appName: 'Other' })).config.appName).toBe('Other');
    expect((await inFolder(shaping, { configFile: false })).config.appName).toBe('Gatehouse');
  });

  test('sends nothing to the world, and limits nothing', async () => {
    const gatehouse = await inFolder(`
      database_url = "postgresql://127.0.0.1:1/nothing"
      database_schema = "accounts"
      password_breach_check = "online"
      password_breach_url = "https://breaches.example"
      rate_limit_disabled = false
      login_rate_limit = "1/hour"
      login_lockout_threshold = 1
      max_consecutive_failures = 1
      mails_per_address_per_hour = 1
      enable_sms_2fa = true
      enable_oauth = true
      mail_store = "database"
      [email]
      backend = "smtp"
      smtp_host = "mail.example"
      [sms]
      backend = "sns"
      allowed_prefixes = ["+44"]
      [oauth]
      google_client_id = "acme"
      [oauth.providers.work]
      issuer = "https://login.example"
      client_id = "acme"
      [oauth.providers.code]
      kind = "github"
      [oauth.providers.fruit]
      kind = "apple"
      client_id = "com.example.acme"
      team_id = "TEAM"
      key_id = "KEY"
      [oauth.providers.windows]
      kind = "microsoft"
      label = "The office"
      [webhooks.crm]
      url = "https://crm.example/hooks"
      events = ["user_registered"]
      [webhooks.all]
      url = "https://all.example/hooks"
    `);
    const { config } = gatehouse;
    expect(config.databaseUrl.reveal()).toBe('sqlite:///:memory:');
    expect(config).toMatchObject({
      ...{ passwordBreachCheck: 'off', loginRateLimit: [], loginLockoutThreshold: 5, webhooks: {} },
      ...{ email: { backend: 'console' }, sms: { backend: 'console', allowedPrefixes: ['+44'] } },
    });
    expect(JSON.stringify(config)).not.toMatch(/login\.example|crm\.example|breaches\.example|mail\.example/);
    const ask = await serve(gatehouse);
    const { body } = await ask('GET', '/api/auth/features');
    expect(body.oauth_providers.map(({ label }: { label: string }) => label)).toEqual([
      ...['Google', 'Work', 'GitHub', 'Apple', 'The office'],
    ]);
    for (const name of ['google', 'work']) {
      const started = await ask('GET', `/api/auth/oauth/${name}/start`);
      expect(started).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    }
    const { user } = await gatehouse.createUser();
    const told = { type: 'user_registered', data: { by: 'host', user: { id: user.id, full_name: null } } };
    expect(gatehouse.deliveries).toMatchObject([told, told]);
    await ask('POST', '/api/auth/forgot-password', { body: { email: user.email } });
    expect(gatehouse.mails.map(({ to }) => to)).toEqual([user.email]);
    const asked = gatehouse.deliveries.slice(2);
    expect(asked).toMatchObject([{ type: 'password_reset_requested' }]);
    expect(JSON.stringify(asked)).not.toContain('token=');
  });

  test('that is wrong is an error that names it', async () => {
    await expect(inFolder('allow_registrations = true')).rejects.toThrow(
      /svc\.toml[\s\S]*allow_registrations/,
    );
  });
});

describeEachDriver('a database that is given', backend => {
  test('is used', async () => {
    const database = await backend.createDatabase();
    const gatehouse = await createTestGatehouse({ databaseUrl: database.url });
    const { user } = await gatehouse.createUser();
    const token = await gatehouse.signIn(user);
    expect((await gatehouse.authenticate(token))?.user).toMatchObject({ id: user.id });
    await gatehouse.close();
    await database.drop();
  });
});

test('nothing of the kit runs in production, where it would let anybody guess passwords', async () => {
  const former = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await expect(createTestGatehouse({ limitsDisabled: false })).rejects.toThrow(
      'with NODE_ENV=production, call createGatehouse.',
    );
  } finally {
    process.env.NODE_ENV = former;
  }
});

test('a database that is not there is an error, and nothing stays open', async () => {
  const databaseUrl = 'postgresql+asyncpg://nobody:nothing@127.0.0.1:1/nowhere';
  await expect(createTestGatehouse({ databaseUrl, logger: silent })).rejects.toMatchObject({
    name: 'StorageError',
  });
});
