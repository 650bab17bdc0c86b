import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express from 'express';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { EventName } from '../../src/event-names.ts';
import { featureRepositories } from '../../src/feature-parts.ts';
import {
  createGatehouse,
  type Gatehouse,
  GatehouseError,
  type Limiter,
  RuntimeError,
} from '../../src/index.ts';
import { jwtSecret, password, TestClock } from '../support/app.ts';
import { deadDatabase, embed, endings, serve, serveRouter, signIn, silent } from '../support/embedded.ts';
import { eventually } from '../support/eventually.ts';
import { asInNode } from '../support/in-node.ts';
import { newAddress } from '../support/people.ts';

// The package that counts is optional, and not installed here.
vi.mock('rate-limiter-flexible', () => {
  throw Object.assign(new Error("Cannot find package 'rate-limiter-flexible'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

describe('two instances in one process', () => {
  test('share no users, secrets, prefixes or events', async () => {
    // An attacker has an account at one tenant of a process, and tries it at the other.
    const here = await embed({ appName: 'Here' });
    const there = await embed({ appName: 'There', jwtSecret: `${jwtSecret}, another`, apiPrefix: '/there' });
    const ask = await serve(
      express().use('/api/auth', here.gatehouse.router).use('/there', there.gatehouse.router),
    );
    const heard: string[] = [];
    here.gatehouse.on('user_logged_in', () => heard.push('here'));
    there.gatehouse.on('user_logged_in', () => heard.push('there'));

    const { email, token } = await signIn(ask);
    expect(heard).toEqual(['here']);
    expect((await ask('GET', '/api/auth/me', { token })).status).toBe(200);
    expect((await ask('GET', '/there/me', { token })).status).toBe(401);
    expect((await ask('POST', '/there/login', { body: { email, password } })).status).toBe(401);
    expect(await here.gatehouse.authenticate(token)).toMatchObject({ user: { email } });
    expect(await there.gatehouse.authenticate(token)).toBeNull();
    expect(await there.gatehouse.repositories.users.count({})).toBe(0);

    await here.gatehouse.close();
    expect((await ask('POST', '/there/register', { body: { email, password } })).status).toBe(201);
  });
});

describe('the files of a configuration', () => {
  test('are those that the program names, where no other is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    endings.push(() => rm(folder, { recursive: true }));
    const [configFile, secretsFile] = [join(folder, 'acme.toml'), join(folder, 'acme.env')];
    await writeFile(configFile, 'app_name = "Acme"');
    await writeFile(secretsFile, `SVC_JWT_SECRET=${jwtSecret}\nSVC_DATABASE_URL=sqlite:///:memory:`, {
      mode: 0o600,
    });
    const gatehouse = await createGatehouse({ configFile, secretsFile, logger: silent });
    endings.push(() => gatehouse.close());
    expect(gatehouse.config.appName).toBe('Acme');
    await expect(createGatehouse({ configFile: join(folder, 'absent.toml'), jwtSecret })).rejects.toThrow(
      'absent.toml: file: does not exist',
    );
  });
});

describe('the repositories', () => {
  test('are those of the records, and not the counters of the limits', async () => {
    const { gatehouse } = await embed();
    expect(Object.keys(gatehouse.repositories).sort()).toEqual(
      [
        ...['attempts', 'authenticators', 'blacklist', 'challenges', 'hour_counts', 'mfa_codes'],
        ...[
          'oauth_identities',
          'oauth_states',
          'outbox',
          'password_failures',
          'pending',
          'recovery_codes',
          'sessions',
        ],
        ...['users', ...Object.keys(featureRepositories)],
      ].sort(),
    );
  });
});

describe('a configuration that is wrong', () => {
  test('makes no instance, and says everything that is wrong', async () => {
    const made = createGatehouse({ jwtSecret: 'short', loginRateLimit: 'often', logger: silent });
    await expect(made).rejects.toMatchObject({ name: 'ConfigError' });
    await expect(made).rejects.toThrow(/jwtSecret[\s\S]*loginRateLimit/);
  });
});

/** A host with a route behind each guard; it answers what the guard left. */
async function guarded(gatehouse: Gatehouse) {
  const reached: string[] = [];
  const host = express();
  const routes = {
    '/orders': gatehouse.requireSession(),
    '/staff': gatehouse.requireSuperuser(),
    '/': gatehouse.optionalSession(),
  };
  for (const [path, guard] of Object.entries(routes)) {
    host.get(path, guard, (req, res) => {
      reached.push(path);
      res.json({ auth: req.auth });
    });
  }
  host.use(gatehouse.config.apiPrefix, gatehouse.router);
  return { ask: await serve(host), reached };
}

describe('the guards', () => {
  test('let through whom they are for, and refuse everybody else as the API does', async () => {
    const { gatehouse } = await embed();
    const { ask, reached } = await guarded(gatehouse);
    const { id, email, token } = await signIn(ask);
    const { body: me } = await ask('GET', '/api/auth/me', { token });
    // The host answers with JSON.
    const user = JSON.parse(JSON.stringify(asInNode(me)));
    const auth = { user, claims: expect.objectContaining({ sub: id }) };

    expect(await ask('GET', '/orders', { token })).toMatchObject({ status: 200, body: { auth } });
    expect(await ask('GET', '/', { token })).toMatchObject({ status: 200, body: { auth } });
    expect(await ask('GET', '/', {})).toMatchObject({ status: 200, body: { auth: null } });
    expect(await ask('GET', '/', { token: 'x' })).toMatchObject({ status: 200, body: { auth: null } });
    expect(reached.splice(0)).toEqual(['/orders', '/', '/', '/']);

    expect(await ask('GET', '/staff', { token })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    for (const path of ['/orders', '/staff']) {
      for (const options of [{}, { token: 'x' }]) {
        const { status, headers, body } = await ask('GET', path, options);
        expect({ status, body }).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
        expect(headers.get('WWW-Authenticate')).toMatch(/^Bearer/);
      }
    }
    expect(reached).toEqual([]);

    await gatehouse.repositories.users.change(id, { set: { isSuperuser: true } });
    expect((await ask('GET', '/staff', { token })).status).toBe(200);
    await ask('POST', '/api/auth/logout', { token });
    expect(await ask('GET', '/', { token })).toMatchObject({ status: 200, body: { auth: null } });
    expect((await ask('GET', '/staff', { token })).status).toBe(401);
    expect(email).toBe(me.email);
  });

  test('answer 503 while the database is down: no request passes or counts as one without a session', async () => {
    // An attacker brings the database down to be let in without a check, or to be treated as somebody else.
    const { token } = await signIn(await serveRouter((await embed()).gatehouse));
    const { gatehouse } = await embed({ databaseUrl: deadDatabase });
    const { ask, reached } = await guarded(gatehouse);
    for (const path of ['/orders', '/staff', '/']) {
      expect(await ask('GET', path, { token })).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    }
    expect(reached).toEqual([]);
    const failed = await gatehouse.authenticate(token).catch(error => error);
    expect(failed).toBeInstanceOf(GatehouseError);
    expect(failed).toMatchObject({ kind: 'unavailable' });
    await expect(gatehouse.ping()).rejects.toMatchObject({ kind: 'unavailable' });
    // A token that is none needs no database.
    expect(await gatehouse.authenticate('x')).toBeNull();
  });
});

test('authenticate answers user and claims, or null', async () => {
  const { gatehouse } = await embed();
  const ask = await serveRouter(gatehouse);
  const { id, email, token } = await signIn(ask);
  expect(await gatehouse.authenticate(token)).toMatchObject({ user: { id, email }, claims: { sub: id } });
  for (const other of ['', 'x', `${token}x`, `Bearer ${token}`]) {
    expect(await gatehouse.authenticate(other)).toBeNull();
  }
  await ask('POST', '/api/auth/logout', { token });
  expect(await gatehouse.authenticate(token)).toBeNull();
});

test('the router runs in a bare node:http host', async () => {
  const { gatehouse } = await embed();
  const prefix = gatehouse.config.apiPrefix;
  const ask = await serve((req, res) => {
    const notFound = () => res.writeHead(404).end('{"from":"host"}');
    if (!req.url?.startsWith(`${prefix}/`)) return void notFound();
    req.url = req.url.slice(prefix.length);
    // A function of request, response and what follows, as every router of Express is.
    (gatehouse.router as unknown as (...args: unknown[]) => void)(req, res, notFound);
  });
  const { email, token } = await signIn(ask);
  expect((await ask('GET', '/api/auth/me', { token })).body).toMatchObject({ email });
  const query = { body: { query: '{ me { email } }' }, token };
  expect((await ask('POST', '/api/auth/graphql', query)).body).toEqual({ data: { me: { email } } });
  for (const path of ['/api/auth/nothing', '/elsewhere']) {
    expect(await ask('GET', path)).toMatchObject({ status: 404, body: { from: 'host' } });
  }
});

describe("the host's parts", () => {
  test('clock, mailer and sender of texts are the ones that are used', async () => {
    const clock = new TestClock('2041-05-06T07:08:09.123Z');
    const { gatehouse, mails, texts } = await embed({ clock, enableSms2fa: true });
    const ask = await serveRouter(gatehouse);
    const { id, email, token } = await signIn(ask);
    const { claims } = (await gatehouse.authenticate(token))!;
    expect(Math.round(claims.iat * 1000)).toBe(clock.now().getTime());
    await ask('POST', '/api/auth/forgot-password', { body: { email } });
    await eventually(() => expect(mails).toHaveLength(1));
    expect(mails[0]).toEqual({
      ...{ to: email, subject: expect.any(String) },
      ...{ text: expect.stringContaining('token='), html: expect.stringContaining('token=') },
      ...{ kind: 'password-reset', locale: 'en' },
      variables: {
        ...{ app_name: 'Gatehouse', support_contact: null, support_url: null },
        ...{ url: expect.stringContaining('token='), lifetime: '30 minutes' },
        ...{ lifetime_count: 30, lifetime_unit: 'minute', locale: 'en', direction: 'ltr' },
        password_stopped: false,
      },
    });
    await gatehouse.repositories.users.change(id, { set: { isVerified: true } });
    const phone_number = '+4915112345678';
    await ask('POST', '/api/auth/phone/start', { token, body: { phone_number, current_password: password } });
    await eventually(() => expect(texts).toHaveLength(1));
    expect(texts[0]).toEqual({ to: phone_number, text: expect.stringMatching(/\d{6}$/) });
    clock.advance(7_200_000);
    expect(await gatehouse.authenticate(token)).toBeNull();
  });

  test('limiter decides on the routes that have a limit, and the package is not needed', async () => {
    const verdict = { allowed: false, limit: 3, remaining: 0, resetSeconds: 41.2 };
    const consume = vi.fn<Limiter['consume']>().mockResolvedValue(verdict);
    const { gatehouse } = await embed({ loginRateLimit: '3/minute;10/hour', limiter: { consume } });
    const ask = await serveRouter(gatehouse);
    const email = newAddress();
    expect((await ask('POST', '/api/auth/register', { body: { email, password } })).status).toBe(201);
    const refused = await ask('POST', '/api/auth/login', { body: { email, password } });
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(refused.headers.get('Retry-After')).toBe('42');
    const items = [
      { count: 3, seconds: 60 },
      { count: 10, seconds: 3600 },
    ];
    expect(consume.mock.calls).toEqual([['login:127.0.0.1', items]]);
    consume.mockRejectedValueOnce(new Error('the store is down'));
    expect((await ask('POST', '/api/auth/login', { body: { email, password } })).status).toBe(503);
    consume.mockResolvedValueOnce({ ...verdict, allowed: true });
    expect((await ask('POST', '/api/auth/login', { body: { email, password } })).status).toBe(200);
  });

  test('logger gets the warnings of the configuration', async () => {
    const warn = vi.fn();
    await embed({ logger: { ...silent, warn }, rateLimitDisabled: true });
    expect(warn).toHaveBeenCalledWith({}, expect.stringContaining('rate_limit_disabled'));
  });
});

describe('a limit without anything that could keep it', () => {
  test('is found out at the first access to the router', async () => {
    // An operator sets a limit, and an attacker finds that nothing keeps it.
    const { gatehouse } = await embed({ loginRateLimit: '3/minute' });
    expect(() => gatehouse.router).toThrow(RuntimeError);
    expect(() => gatehouse.router).toThrow(/rate-limiter-flexible/);
  });

  test('is no matter where no limit is set', async () => {
    expect((await embed()).gatehouse.router).toBeTypeOf('function');
  });
});

test('close delivers the mails that wait', async () => {
  const gate = Promise.withResolvers<void>();
  const delivered: string[] = [];
  const { gatehouse } = await embed({
    requireVerification: true,
    mailer: {
      async send({ to }) {
        await gate.promise;
        delivered.push(to);
      },
    },
  });
  const ask = await serveRouter(gatehouse);
  const addresses = Array.from({ length: 12 }, newAddress);
  for (const email of addresses) await ask('POST', '/api/auth/register', { body: { email, password } });
  let isClosed = false;
  const closing = gatehouse.close().then(() => {
    isClosed = true;
  });
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect([isClosed, delivered]).toEqual([false, []]);
  gate.resolve();
  await closing;
  expect(delivered.toSorted()).toEqual(addresses.toSorted());
});

test('close closes the database where the mailer cannot be closed, and says why', async () => {
  const gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', logger: silent },
    mailer: { send: async () => {}, close: () => Promise.reject(new Error('the connection is gone')) },
  });
  await gatehouse.ping();
  await expect(gatehouse.close()).rejects.toThrow('the connection is gone');
  await expect(gatehouse.ping()).rejects.toThrow();
});

test('a mistyped event, or a guard that was not made, is an error at once', async () => {
  const { gatehouse } = await embed();
  expect(() => gatehouse.on('user_registred' as EventName, () => {})).toThrow(
    'user_registred is none of these events: user_registered, ',
  );
  const guards = gatehouse as unknown as Record<string, (...route: unknown[]) => unknown>;
  for (const name of ['requireSession', 'requireSuperuser', 'optionalSession']) {
    expect(() => guards[name]!({}, {}, () => {})).toThrow(`call it, ${name}()`);
  }
});
