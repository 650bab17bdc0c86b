import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { GatehouseError } from '../../src/errors.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { purgeEndedAt } from '../storage/records.ts';
import { type App, logIn, type Member, signUp, startApp, TestClock } from '../support/app.ts';
import { describeEachBackend, describeEachDriver, type TestDatabase } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { eventually } from '../support/eventually.ts';
import { isAlive, newAddress, signUpSuperuser } from '../support/people.ts';
import { strong } from '../support/strong.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const jtiOf = (token: string) => decodeJwt(token).jti!;
const notFound = { ok: false, code: 'not_found', status: 404 };

describeEachDriver('the session list', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...strong, maxSessionsPerUser: 0 } });
  });
  afterAll(() => app?.close());

  const records = ({ id }: Pick<Member, 'id'>) => app.gatehouse.repositories.sessions.listByUser(id);

  /** Signs in with these headers. */
  async function enter({ email, password }: Member, headers: Record<string, string> = {}) {
    const { status, body } = await app.rest('POST', '/login', { email, password }, { headers });
    expect(status).toBe(200);
    return body.access_token as string;
  }

  describe.each(doorsOn(backend))('through $name', door => {
    const call = (...args: Parameters<ReturnType<typeof door.at>>) => door.at(app)(...args);
    const list = async (token: string) => (await resultOf(call('sessions', undefined, { token }))).items;

    // Shows asvs/7.5.2.
    test('has each session with its facts, the one used last first, and marks the present one', async () => {
      const member = await signUp(app);
      app.clock.advance(5000);
      const second = await enter(member, { 'User-Agent': firefox });
      const issuedAt = app.clock.now().toISOString();
      const [latest, first] = await list(member.token);
      expect(latest).toEqual({
        id: jtiOf(second),
        created_at: issuedAt,
        last_seen_at: issuedAt,
        expires_at: new Date(decodeJwt(second).exp! * 1000).toISOString(),
        ip: '127.0.0.1',
        device: 'Firefox on Linux',
        method: 'password',
        is_current: false,
      });
      expect(first).toMatchObject({ id: jtiOf(member.token), is_current: true, device: null });
      expect((await list(second)).map((item: { is_current: boolean }) => item.is_current)).toEqual([
        true,
        false,
      ]);

      // The first one is used later than the second.
      app.clock.advance(60_000);
      const seen = nextTouch(app, member);
      await list(member.token);
      await seen;
      const order = (await list(second)).map((item: { id: string }) => item.id);
      expect(order).toEqual([jtiOf(member.token), jtiOf(second)]);
    });

    test('ends a session of one’s own by id, the present one too', async () => {
      const member = await signUp(app);
      const other = await enter(member);
      const ended = await call('endSession', { id: jtiOf(other) }, { token: member.token });
      expect(ended).toMatchObject({ ok: true });
      expect(await isAlive(app, other)).toBe(false);
      expect((await list(member.token)).map((item: { id: string }) => item.id)).toEqual([
        jtiOf(member.token),
      ]);
      expect(await call('endSession', { id: jtiOf(other) }, { token: member.token })).toMatchObject(notFound);
      await call('endSession', { id: jtiOf(member.token) }, { token: member.token });
      expect(await isAlive(app, member.token)).toBe(false);
    });

    test('answers somebody else’s session and an id that can be none in the same way', async () => {
      const [mine, theirs] = [await signUp(app), await signUp(app)];
      const answers = [];
      const ids = [
        jtiOf(theirs.token),
        randomUUID(),
        'x'.repeat(5000),
        'a\0b',
        '../me',
        '{"$ne":null}',
        '\ud800',
      ];
      for (const id of ids) {
        // An address cannot hold a lone surrogate.
        if (door.name === 'REST' && id === '\ud800') continue;
        answers.push(await call('endSession', { id }, { token: mine.token }));
      }
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect(answers[0]).toMatchObject(notFound);
      expect(await isAlive(app, theirs.token)).toBe(true);
    });

    // Shows asvs/7.4.3.
    test('ends all others and says how many', async () => {
      const member = await signUp(app);
      const others = [await enter(member), await enter(member), await enter(member)];
      const stranger = await signUp(app);
      const { ended } = await resultOf(call('endOtherSessions', undefined, { token: member.token }));
      expect(ended).toBe(3);
      for (const token of others) expect(await isAlive(app, token)).toBe(false);
      for (const token of [member.token, stranger.token]) expect(await isAlive(app, token)).toBe(true);
      const again = await resultOf(call('endOtherSessions', undefined, { token: member.token }));
      expect(again.ended).toBe(0);
    });

    test('is open to administration alone', async () => {
      const [admin, member, stranger] = [await signUpSuperuser(app), await signUp(app), await signUp(app)];
      const second = await enter(member);
      const { items } = await resultOf(call('userSessions', { id: member.id }, { token: admin.token }));
      expect(items.map((item: { id: string }) => item.id).toSorted()).toEqual(
        [jtiOf(member.token), jtiOf(second)].toSorted(),
      );
      expect(items.some((item: { is_current: boolean }) => item.is_current)).toBe(false);
      for (const operation of ['userSessions', 'adminEndSession'] as const) {
        const refused = await call(operation, { id: member.id }, { token: stranger.token });
        expect(refused).toMatchObject({ ok: false, code: 'forbidden' });
      }
      const end = (input: object) => call('adminEndSession', input, { token: admin.token });
      // A session of another account than the one that is named.
      expect(await end({ id: member.id, session_id: jtiOf(stranger.token) })).toMatchObject(notFound);
      expect(await end({ id: randomUUID(), session_id: jtiOf(second) })).toMatchObject(notFound);
      expect(await end({ id: member.id, session_id: jtiOf(second) })).toMatchObject({ value: { ended: 1 } });
      expect(await isAlive(app, second)).toBe(false);
      expect(await isAlive(app, member.token)).toBe(true);
      expect(await end({ id: member.id })).toMatchObject({ value: { ended: 1 } });
      expect(await isAlive(app, member.token)).toBe(false);
      expect(await isAlive(app, stranger.token)).toBe(true);
    });

    // Shows 63b/5.1#logout.
    test('loses a session that logs out, and all of them with everywhere', async () => {
      const member = await signUp(app);
      const other = await enter(member);
      await call('logout', undefined, { token: other });
      expect((await list(member.token)).map((item: { id: string }) => item.id)).toEqual([
        jtiOf(member.token),
      ]);
      expect(await records(member)).toHaveLength(1);
      await call('logout', { everywhere: true }, { token: member.token });
      app.clock.advance(1);
      const back = await enter(member);
      expect((await list(back)).map((item: { id: string }) => item.id)).toEqual([jtiOf(back)]);
    });
  });

  test('bounds what it stores of a request', async () => {
    const member = await signUp(app);
    await enter(member, { 'User-Agent': `${firefox} ${'x'.repeat(6000)}` });
    const rows = await records(member);
    const row = rows.find(({ device }) => device === 'Firefox on Linux');
    expect(row?.userAgent).toHaveLength(512);
  });

  test('leaves out sessions that were issued before it was on; they end with everywhere', async () => {
    const member = await signUp(app);
    // As a version without the list has left it.
    await app.gatehouse.repositories.sessions.remove(jtiOf(member.token));
    expect(await isAlive(app, member.token)).toBe(true);
    const listed = await enter(member);
    const { body } = await app.rest('GET', '/sessions', undefined, { token: listed });
    expect(body.items).toHaveLength(1);
    await app.rest('DELETE', '/sessions', undefined, { token: listed });
    expect(await isAlive(app, member.token)).toBe(true);
    const own = await app.rest('DELETE', `/sessions/${jtiOf(member.token)}`, undefined, {
      token: member.token,
    });
    expect(own.status).toBe(404);
    await app.rest('POST', '/logout', { everywhere: true }, { token: listed });
    for (const token of [member.token, listed]) expect(await isAlive(app, token)).toBe(false);
  });

  test('gives out no session whose record could not be stored', async () => {
    const member = await signUp(app);
    const { sessions } = app.gatehouse.repositories;
    const { add } = sessions;
    sessions.add = () => Promise.reject(new Error('the database has gone'));
    const { email, password } = member;
    const failed = await app.rest('POST', '/login', { email, password });
    sessions.add = add;
    expect(failed.status).toBe(500);
    expect(failed.body).not.toHaveProperty('access_token');
    expect(await records(member)).toHaveLength(1);
  });

  test('stores no more than one use a minute, and no response waits for it', async () => {
    const member = await signUp(app);
    const { sessions } = app.gatehouse.repositories;
    const { touch } = sessions;
    const gate = Promise.withResolvers<boolean>();
    let touches = 0;
    const reached = Promise.withResolvers<void>();
    sessions.touch = async (...args) => {
      if (args[0] !== jtiOf(member.token)) return touch(...args);
      touches++;
      reached.resolve();
      return gate.promise;
    };
    app.clock.advance(59_999);
    expect(await isAlive(app, member.token)).toBe(true);
    app.clock.advance(1);
    // The write hangs from here on, and every answer comes.
    for (let i = 0; i < 20; i++) expect(await isAlive(app, member.token)).toBe(true);
    await reached.promise;
    for (let i = 0; i < 20; i++) expect(await isAlive(app, member.token)).toBe(true);
    expect(touches).toBe(1);
    gate.resolve(true);
    sessions.touch = touch;
  });

  test('moves the last use only forward when the clock goes back', async () => {
    const member = await signUp(app);
    const [before] = await records(member);
    app.clock.advance(-3_000_000);
    const seen = nextTouch(app, member);
    expect(await isAlive(app, member.token)).toBe(false);
    app.clock.advance(2_900_000);
    expect(await isAlive(app, member.token)).toBe(true);
    await seen;
    const [after] = await records(member);
    expect(after!.lastSeenAt).toEqual(before!.lastSeenAt);
    app.clock.advance(100_000);
  });

  test('loses its records with the account, and a day after they have expired', async () => {
    const [gone, kept] = [await signUp(app), await signUp(app)];
    await app.rest('DELETE', '/account', { current_password: gone.password }, { token: gone.token });
    expect(await records(gone)).toEqual([]);
    const { repositories } = (app.gatehouse as Assembled).dependencies;
    const { expiresAt } = (await records(kept))[0]!;
    await purgeEndedAt(repositories, 'sessions', new Date(expiresAt.getTime() - 1));
    expect(await records(kept)).toHaveLength(1);
    await purgeEndedAt(repositories, 'sessions', expiresAt);
    expect(await records(kept)).toEqual([]);
    // The record authenticates nothing.
    expect(await isAlive(app, kept.token)).toBe(true);
  });

  test('has nothing of a stranger after a take-over', async () => {
    const owned = await startApp({ backend, settings: { ...strong, requireVerification: false } });
    try {
      const email = newAddress();
      await owned.rest('POST', '/register', { email, password: 'the stranger’s' });
      await logIn(owned, { email, password: 'the stranger’s' });
      await owned.rest('POST', '/forgot-password', { email });
      const { text } = await owned.nextMail(email);
      const [, token] = /[?&]token=([\w.-]+)/.exec(text)!;
      await owned.rest('POST', '/reset-password', { token, new_password: 'the owner’s own' });
      const mine = await logIn(owned, { email, password: 'the owner’s own' });
      const { body } = await owned.rest('GET', '/sessions', undefined, { token: mine });
      expect(body.items.map(({ id }: { id: string }) => id)).toEqual([jtiOf(mine)]);
    } finally {
      await owned.close();
    }
  });
});

/** Resolves when the next use of this session was stored, or found to be stored. */
function nextTouch({ gatehouse: { repositories } }: App, { token }: Pick<Member, 'token'>): Promise<void> {
  const { sessions } = repositories;
  const { touch } = sessions;
  const { promise, resolve } = Promise.withResolvers<void>();
  sessions.touch = async (...args) => {
    if (args[0] !== jtiOf(token)) return touch(...args);
    sessions.touch = touch;
    const stored = await touch(...args);
    resolve();
    return stored;
  };
  return promise;
}

describeEachDriver('a maximum of sessions', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...strong, maxSessionsPerUser: 2 } });
  });
  afterAll(() => app?.close());

  const alive = async (tokens: string[]) => Promise.all(tokens.map(token => isAlive(app, token)));

  // Shows asvs/7.1.2.
  test('ends the one unused for longest, and never the new one', async () => {
    const member = await signUp(app);
    // The clock stands still: all are of one moment.
    const tokens = [member.token];
    for (let i = 0; i < 8; i++) {
      tokens.push(await logIn(app, member));
      expect(await isAlive(app, tokens.at(-1)!)).toBe(true);
    }
    expect(await alive(tokens)).toEqual([...Array(7).fill(false), true, true]);
  });

  test('lets in a sign-in through a process whose clock is behind', async () => {
    const member = await signUp(app);
    const second = await logIn(app, member);
    app.clock.advance(-60_000);
    const third = await logIn(app, member);
    app.clock.advance(60_000);
    expect(await alive([member.token, second, third])).toEqual([false, true, true]);
  });

  test('keeps the session that is used over one that is not', async () => {
    const member = await signUp(app);
    app.clock.advance(1000);
    const unused = await logIn(app, member);
    app.clock.advance(60_000);
    const seen = nextTouch(app, member);
    await isAlive(app, member.token);
    await seen;
    const third = await logIn(app, member);
    expect(await alive([member.token, unused, third])).toEqual([true, false, true]);
  });

  test('ends no session for a sign-in that fails after its own was stored', async () => {
    const { attempts, sessions } = app.gatehouse.repositories;
    const member = await signUp(app);
    const second = await logIn(app, member);
    const { id, email, password } = member;
    const records = () => sessions.listByUser(id);
    const down = () => Promise.reject(new GatehouseError('unavailable'));
    const { add } = sessions;
    const fail = [
      () => vi.spyOn(attempts, 'clear').mockImplementationOnce(down),
      // The answer is late: the record is stored nevertheless.
      () =>
        vi.spyOn(sessions, 'add').mockImplementationOnce(async row => {
          await add(row);
          await down();
        }),
    ];
    for (const each of fail) {
      const failing = each();
      expect((await app.rest('POST', '/login', { email, password })).status).toBe(503);
      failing.mockRestore();
      await eventually(async () => expect(await records()).toHaveLength(2));
    }
    expect(await alive([member.token, second])).toEqual([true, true]);
  });

  test('counts a session that signs in again once', async () => {
    const member = await signUp(app);
    const second = await logIn(app, member);
    const { password } = member;
    const { status, body } = await app.rest('POST', '/reauthenticate', { password }, { token: second });
    expect(status).toBe(200);
    expect(await alive([member.token, second, body.access_token])).toEqual([true, false, true]);
  });
});

describeEachDriver('an idle timeout', backend => {
  const idle = 2;
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { ...strong, sessionIdleTtlSeconds: idle } });
  });
  afterAll(() => app?.close());

  // Shows asvs/7.3.1, 63b/5.2#either-timeout.
  test('refuses a session that was unused for so long, and lists it no more', async () => {
    const member = await signUp(app);
    app.clock.advance(idle * 1000);
    const other = await logIn(app, member);
    expect(await isAlive(app, member.token)).toBe(true);
    app.clock.advance(idle * 1000 + 1);
    expect(await isAlive(app, other)).toBe(false);
    const back = await logIn(app, member);
    const { body } = await app.rest('GET', '/sessions', undefined, { token: back });
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([jtiOf(back)]);
  });

  // Shows asvs/7.3.1.
  test('counts from the last use, also where that was not stored at once', async () => {
    const member = await signUp(app);
    app.clock.advance(400);
    const seen = nextTouch(app, member);
    // Within the pause: this use is stored when the pause is over.
    expect(await isAlive(app, member.token)).toBe(true);
    await seen;
    app.clock.advance(idle * 1000);
    expect(await isAlive(app, member.token)).toBe(true);
  });

  test('spares sessions that were issued before the list was on', async () => {
    const member = await signUp(app);
    await app.gatehouse.repositories.sessions.remove(jtiOf(member.token));
    app.clock.advance(idle * 10_000);
    expect(await isAlive(app, member.token)).toBe(true);
  });

  test('stores what it still has to when the instance is closed', async () => {
    const database = await backend.lendDatabase();
    const settings = { ...strong, sessionIdleTtlSeconds: 3600 };
    const closing = await startApp({ databaseUrl: database.url, settings });
    const member = await signUp(closing);
    closing.clock.advance(1000);
    expect(await isAlive(closing, member.token)).toBe(true);
    const seen = nextTouch(closing, member);
    await closing.close();
    await seen;
    await database.drop();
  });
});

describeEachBackend(
  'an idle timeout at two servers',
  backend => {
    const idle = 3600;
    let database: TestDatabase;
    let clock: TestClock;
    let apps: App[];
    beforeAll(async () => {
      database = await backend.lendDatabase();
      clock = new TestClock();
      const settings = { ...strong, sessionIdleTtlSeconds: idle };
      apps = [
        await startApp({ databaseUrl: database.url, clock, settings }),
        await startApp({ databaseUrl: database.url, clock, settings }),
      ];
    });
    afterAll(async () => {
      for (const app of apps ?? []) await app.close();
      await database?.drop();
    });

    test('counts uses at either, and refuses at both', async () => {
      const [one, two] = apps as [App, App];
      const member = await signUp(one);
      // Used at the other server only, just before it would be over.
      clock.advance(idle * 1000);
      const seen = nextTouch(two, member);
      expect(await isAlive(two, member.token)).toBe(true);
      await seen;
      clock.advance(idle * 1000 - 1);
      expect(await isAlive(one, member.token)).toBe(true);
      const fresh = await logIn(two, member);
      clock.advance(idle * 1000 + 1);
      for (const app of apps) expect(await isAlive(app, fresh)).toBe(false);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

describe('without the list', () => {
  test('nothing of it is written or read, by any statement', async () => {
    const app = await startApp({ settings: { ...strong, enableSessionList: false } });
    const touched: string[] = [];
    const { sessions } = app.gatehouse.repositories;
    for (const [name, method] of Object.entries(sessions)) {
      Object.assign(sessions, {
        [name]: (...args: unknown[]) => {
          touched.push(name);
          return (method as (...args: unknown[]) => unknown)(...args);
        },
      });
    }
    const member = await signUp(app);
    const { password } = member;
    await isAlive(app, member.token);
    app.clock.advance(60_000);
    await isAlive(app, member.token);
    const { body } = await app.rest('POST', '/reauthenticate', { password }, { token: member.token });
    const row = await app.gatehouse.repositories.users.findSession(member.id, jtiOf(body.access_token));
    expect(row).not.toHaveProperty('lastSeenAt');
    await app.rest('POST', '/logout', {}, { token: body.access_token });
    await app.close();
    expect(touched).toEqual([]);
  });

  test('does not exist at any door', async () => {
    const app = await startApp({ settings: { enableAdminRouter: true } });
    const { token } = await signUp(app);
    expect((await app.rest('GET', '/sessions', undefined, { token })).status).toBe(404);
    const { body } = await app.graphql('{ sessions { items { id } } }', {}, { token });
    expect(body.errors[0].extensions.code).toBe('invalid_document');
    await app.close();
  });
});
