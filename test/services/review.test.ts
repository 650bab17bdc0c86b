import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { tokenHash } from '../../src/crypto/one-time.ts';
import { type Assembled, createGatehouse } from '../../src/gatehouse.ts';
import {
  type App,
  jwtSecret,
  logIn,
  type Member,
  signUp,
  startApp,
  TestClock,
  tokenOf,
} from '../support/app.ts';
import { describeEachBackend, describeEachDriver, type TestDatabase } from '../support/backends.ts';
import { heldAtItsPassword } from '../support/held-check.ts';

const newAddress = () => `${randomUUID()}@example.org`;
const password = 'correct horse battery';
const newPassword = 'another horse battery';
const wrong = 'wrong horse battery';
const day = 86_400_000;
/** How many wrong passwords lock an address. */
const threshold = 5;

const isAlive = async (app: App, token: string) =>
  (await app.rest('GET', '/me', undefined, { token })).status === 200;

/** Somebody who is signed in and a superuser. */
async function signUpSuperuser(app: App): Promise<Member> {
  const member = await signUp(app);
  await app.gatehouse.repositories.users.change(member.id, { set: { isSuperuser: true } });
  return member;
}

/** The token of the oldest link to this address that was not asked for yet; notices are passed over. */
async function nextToken(app: App, to: string): Promise<string> {
  for (;;) {
    const mail = await app.nextMail(to);
    if (/[?&]token=/.test(mail.text)) return tokenOf(mail);
  }
}

describeEachDriver('what a review found', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { enableAdminRouter: true, enableSms2fa: true } });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app?.close());

  const patch = (by: Member, id: string, body: object) =>
    app.rest('PATCH', `/admin/users/${id}`, body, { token: by.token });

  test('a deletion under way when its account is promoted never leaves the service without a superuser', async () => {
    // An attacker who is about to be made the only superuser deletes the account at that moment.
    const { users } = app.gatehouse.repositories;
    const [admin, user] = [await signUpSuperuser(app), await signUp(app)];
    const { reply } = await heldAtItsPassword(
      () => app.rest('DELETE', '/account', { current_password: user.password }, { token: user.token }),
      async () => {
        expect((await patch(admin, user.id, { is_superuser: true })).status).toBe(200);
        expect((await patch(admin, admin.id, { is_superuser: false })).status).toBe(200);
      },
    );
    expect(reply.status).toBe(401);
    expect(await users.countActiveSuperusers()).toBe(1);
    expect(await users.find(user.id)).toMatchObject({ isActive: true, isSuperuser: true });
    await users.remove(user.id);
  });

  describe('a resend that read a registration', () => {
    // An attacker who has registered somebody's address asks for resends while its owner registers it too.

    /** Asks for another link, and lets something happen between its read and its write. */
    async function resendWhile(email: string, meanwhile: () => Promise<unknown>): Promise<boolean> {
      const { pending } = app.gatehouse.repositories;
      const { renew } = pending;
      const renewed = Promise.withResolvers<boolean>();
      vi.spyOn(pending, 'renew').mockImplementationOnce(async (...args) => {
        await meanwhile();
        const done = await renew(...args);
        renewed.resolve(done);
        return done;
      });
      expect((await app.rest('POST', '/resend-verification', { email })).status).toBe(202);
      return renewed.promise;
    }

    test('does not bring it back when another has replaced it', async () => {
      const { pending } = app.gatehouse.repositories;
      const email = newAddress();
      await app.rest('POST', '/register', { email, password: wrong });
      const first = await nextToken(app, email);
      expect(
        await resendWhile(email, () => app.rest('POST', '/register', { email, password: newPassword })),
      ).toBe(false);
      const second = await nextToken(app, email);
      expect((await pending.find(email))?.tokenHash).toBe(tokenHash(second));
      expect((await app.rest('POST', '/verify', { token: first })).status).toBe(400);
      expect((await app.rest('POST', '/verify', { token: second })).status).toBe(200);
      expect((await app.rest('POST', '/login', { email, password: wrong })).status).toBe(401);
      expect((await app.rest('POST', '/login', { email, password: newPassword })).status).toBe(200);
    });

    test('does not bring it back when it was used', async () => {
      const { pending } = app.gatehouse.repositories;
      const email = newAddress();
      await app.rest('POST', '/register', { email, password });
      const token = await nextToken(app, email);
      expect(await resendWhile(email, () => app.rest('POST', '/verify', { token }))).toBe(false);
      expect(await pending.find(email)).toBeNull();
    });
  });

  test('a session clears the count of wrong codes; an address change and a reset do not', async () => {
    // An attacker who reads the mails, but not the texts, resets the password to get new guesses at the code.
    const member = await signUp(app);
    const { token } = member;
    const phone = `+49151${randomInt(10_000_000, 99_999_999)}`;
    const codeOf = async () => /\d{6}$/.exec((await app.nextText(phone)).text)![0];
    const count = async () =>
      (await app.gatehouse.repositories.attempts.list(`code:${member.id}`)).filter(row => row.settled).length;

    const current_password = member.password;
    const setup = await app.rest(
      'POST',
      '/phone/start',
      { phone_number: phone, current_password },
      { token },
    );
    const { pending_token } = setup.body;
    await app.rest('POST', '/phone/confirm', { pending_token, code: await codeOf() }, { token });

    const { body } = await app.rest('POST', '/login', { email: member.email, password: member.password });
    const { mfa_pending_token } = body;
    const wrongCode = (await codeOf()) === '111111' ? '222222' : '111111';
    for (const expected of [1, 2]) {
      await app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code: wrongCode });
      expect(await count()).toBe(expected);
    }

    const email = newAddress();
    await app.rest('POST', '/change-email', { current_password, new_email: email }, { token });
    const moved = await app.rest('POST', '/confirm-email-change', { token: await nextToken(app, email) });
    expect([moved.status, await count()]).toEqual([200, 2]);

    await app.rest('POST', '/forgot-password', { email });
    const reset = { token: await nextToken(app, email), new_password: newPassword };
    expect([(await app.rest('POST', '/reset-password', reset)).status, await count()]).toEqual([200, 2]);

    const again = await app.rest('POST', '/login', { email, password: newPassword });
    expect(await count()).toBe(2);
    const second = { mfa_pending_token: again.body.mfa_pending_token, code: await codeOf() };
    expect((await app.rest('POST', '/login/mfa-confirm', second)).status).toBe(200);
    expect(await count()).toBe(0);
  });

  test('an account that is enabled again does not get its old tokens back', async () => {
    // An attacker keeps a stolen session and a reset link until the disabled account is enabled again.
    const { users } = app.gatehouse.repositories;
    const admin = await signUpSuperuser(app);
    const disablings = [
      (id: string) => patch(admin, id, { is_active: false }),
      // As a host may do it, without a cutoff.
      (id: string) => users.change(id, { set: { isActive: false } }),
    ];
    for (const disable of disablings) {
      const member = await signUp(app);
      await app.rest('POST', '/forgot-password', { email: member.email });
      const token = await nextToken(app, member.email);
      await disable(member.id);
      expect(await isAlive(app, member.token)).toBe(false);
      expect((await patch(admin, member.id, { is_active: true })).status).toBe(200);
      expect(await isAlive(app, member.token)).toBe(false);
      const reset = await app.rest('POST', '/reset-password', { token, new_password: newPassword });
      expect([reset.status, reset.body.code]).toEqual([400, 'invalid_token']);
      expect(await isAlive(app, await logIn(app, member))).toBe(true);
    }
    await users.remove(admin.id);
  });

  test('`svc create-admin` with the password that the account has leaves its sessions alone', async () => {
    const { operator } = app.gatehouse as Assembled;
    const email = newAddress();
    expect(await operator.createAdmin({ email, password })).toBe('created');
    const token = await logIn(app, { email, password });
    expect(await operator.createAdmin({ email, password })).toBe('unchanged');
    expect(await isAlive(app, token)).toBe(true);
    expect(await operator.createAdmin({ email, password: newPassword })).toBe('taken_over');
    expect(await isAlive(app, token)).toBe(false);

    const member = await signUp(app);
    expect(await operator.createAdmin({ email: member.email, password: member.password })).toBe('promoted');
    expect(await isAlive(app, member.token)).toBe(true);
  });

  describe('a burst of right passwords', () => {
    const statusesOf = (member: Member, passwords: string[]) =>
      Promise.all(
        passwords.map(async password => {
          const { status } = await app.rest('POST', '/login', { email: member.email, password });
          return status;
        }),
      );
    const burst = Array<string>(40).fill(password);

    test('of one account succeeds as a whole', async () => {
      const member = await signUp(app);
      expect(new Set(await statusesOf(member, burst))).toEqual(new Set([200]));
    });

    test('succeeds as a whole with one place left', async () => {
      const member = await signUp(app);
      expect(await statusesOf(member, Array(threshold - 1).fill(wrong))).toEqual([401, 401, 401, 401]);
      expect(new Set(await statusesOf(member, burst))).toEqual(new Set([200]));
      expect(await app.gatehouse.repositories.attempts.list(member.email)).toEqual([]);
    });
  });
});

describeEachBackend(
  'a right password among wrong ones',
  backend => {
    let database: TestDatabase;
    let servers: App[] = [];
    beforeAll(async () => {
      database = await backend.createDatabase();
      servers = [
        await startApp({ databaseUrl: database.url }),
        await startApp({ databaseUrl: database.url }),
      ];
    });
    afterAll(async () => {
      for (const server of servers) await server.close();
      await database?.drop();
    });

    test.each([
      ['first', 0],
      ['in the middle', 20],
      ['last', 40],
    ])(
      'leaves them no more places over two servers than the count has before and after it, when it comes %s',
      async (_, place) => {
        // An attacker tries a list of passwords at once, against every server there is.
        const member = await signUp(servers[0]!);
        const guesses = Array<string>(40).fill(wrong).toSpliced(place, 0, member.password);
        const statuses = await Promise.all(
          guesses.map(async (password, i) => {
            const server = servers[i % servers.length]!;
            return (await server.rest('POST', '/login', { email: member.email, password })).status;
          }),
        );
        const refused = statuses.filter((status, i) => i !== place && status === 401).length;
        const wrongOnes = statuses.toSpliced(place, 1);
        expect(wrongOnes.filter(status => status !== 401 && status !== 429)).toEqual([]);
        expect([200, 429]).toContain(statuses[place]);
        // A session clears the count: at most one place fewer before it, and as many as ever after it.
        expect(refused).toBeLessThanOrEqual(statuses[place] === 200 ? 2 * threshold - 1 : threshold);
      },
    );
  },
  { only: ['postgresql'] },
);

describeEachBackend(
  'counts of the limits per client address',
  backend => {
    test('are purged a day after their window', async () => {
      const clock = new TestClock(new Date().toISOString());
      const app = await startApp({ backend, clock, settings: { loginRateLimit: '100/minute' } });
      try {
        await app.rest('POST', '/login', { email: newAddress(), password });
        expect(await app.gatehouse.purgeExpired()).toMatchObject({ rate_limits: 0 });
        clock.advance(day - 60_000);
        expect(await app.gatehouse.purgeExpired()).toMatchObject({ rate_limits: 0 });
        clock.advance(2 * 3_600_000);
        expect(await app.gatehouse.purgeExpired()).toMatchObject({ rate_limits: 1 });
        expect(await app.gatehouse.purgeExpired()).toMatchObject({ rate_limits: 0 });
      } finally {
        await app.close();
      }
    });
  },
  { only: ['sqlite', 'sqlite-memory', 'postgresql'] },
);

describeEachDriver('a token that no database takes', backend => {
  let app: App;
  beforeAll(async () => {
    const oauth = { googleClientId: 'an id', googleClientSecret: 'a secret' };
    app = await startApp({ backend, settings: { enableOauth: true, oauth } });
  });
  afterAll(() => app?.close());

  test.each([
    ['NUL', '\0'],
    ['NUL within', 'a\0b'],
    ['half a surrogate pair', '\ud800'],
    ['a byte order mark', '\ufeff'],
    ['the end of the line', '\r\n'],
    ['reversed text', '\u202eabc'],
    ['quotes', `' or 1=1; --"`],
    ['an emoji', '🦄'],
    ['4000 letters', 'x'.repeat(4000)],
    ['a path', '../../etc/passwd'],
  ])('is refused and is no outage: %s', async (_, token) => {
    // An attacker looks for bytes that make the database fail, and so every request after it.
    for (const [path, body] of [
      ['/oauth/exchange', { id: token }],
      ['/oauth/exchange', { id: token, code_verifier: token }],
      ['/verify', { token }],
      ['/reset-password', { token, new_password: newPassword }],
      ['/confirm-email-change', { token }],
    ] as const) {
      const { status } = await app.rest('POST', path, body);
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(status, path).toBeLessThan(500);
    }
    const state = new URLSearchParams({ state: token, code: token });
    const reply = await fetch(`${app.url}/oauth/google/callback?${state}`, { redirect: 'manual' });
    expect(reply.status).toBe(302);
    expect(reply.headers.get('Location')).toMatch(/\?error=bad_state$/);
    expect(app.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('the GraphQL door', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  test('refuses 490 times the same field quickly', async () => {
    // An attacker sends documents whose validation compares each field with every other.
    const query = `{ ${'me { id } '.repeat(490)} }`;
    // The server package is loaded with the first document.
    await app.graphql('{ __typename }');
    const startedAt = performance.now();
    const { body } = await app.graphql(query);
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(body.errors[0].extensions.code).toBe('invalid_document');
    expect(body).not.toHaveProperty('data');
  });

  test('answers 405 to TRACE', async () => {
    // An attacker reads back what a proxy adds to a request; and this method must not end the process.
    const { hostname, port, pathname } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.end(
      `TRACE ${pathname}/graphql HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Secret: s\r\n\r\n`,
    );
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toMatch(/^Allow: GET, POST\r$/m);
    expect(answer).not.toContain('X-Secret');
    expect((await app.graphql('{ features { appName } }')).status).toBe(200);
  });

  test.each(['text/event-stream', 'multipart/mixed', 'text/event-stream, */*'])(
    'gives one JSON answer to a client that accepts %s',
    async Accept => {
      const reply = await app.graphql('{ features { appName } }', {}, { headers: { Accept } });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('Content-Type')).toMatch(/^application\/(graphql-response\+)?json/);
      expect(reply.body).toEqual({ data: { features: { appName: 'Gatehouse' } } });
    },
  );
});

test('a logger that throws ends nothing', async () => {
  // An attacker makes us log, again and again, while the disk of the logs is full.
  const fail = (): never => {
    throw new Error('no space left on device');
  };
  const gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', loginMaxPerMinute: 1 },
    logger: { debug: fail, info: fail, warn: fail, error: fail },
    mailer: { send: async () => fail() },
  });
  await gatehouse.installSchema();
  const heard = vi.fn(fail);
  gatehouse.on('verification_requested', heard);
  const server = express().use(gatehouse.router).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const post = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' };
    return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  try {
    expect((await post('/register', { email: newAddress(), password })).status).toBe(201);
    await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce());
    // Something unforeseen, which is logged.
    vi.spyOn(gatehouse.repositories.users, 'findByEmail').mockRejectedValueOnce(new Error('unforeseen'));
    expect((await post('/login', { email: newAddress(), password })).status).toBe(500);
    expect((await post('/login', { email: newAddress(), password })).status).toBe(401);
  } finally {
    server.closeAllConnections();
    server.close();
    await gatehouse.close();
  }
});
