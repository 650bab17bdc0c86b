import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { EventName } from '../../src/event-names.ts';
import {
  type App,
  logIn,
  type Member,
  newPassword,
  signUp,
  signUpByMail,
  startApp,
  type TestClock,
} from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { asInNode } from '../support/in-node.ts';
import { newAddress, upTo } from '../support/people.ts';

describeEachDriver('what is under way when everything is revoked', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app?.close());

  const isAlive = async (token: string) =>
    (await app.rest('GET', '/me', undefined, { token })).status === 200;

  /**
   * Does something right before the next change or deletion of a user is written, as if it came from another request.
   */
  function beforeNextChange(meanwhile: () => Promise<unknown>): void {
    const { users } = app.gatehouse.repositories;
    const { change, remove } = users;
    vi.spyOn(users, 'change').mockImplementationOnce(async (...args) => {
      vi.restoreAllMocks();
      await meanwhile();
      return change(...args);
    });
    vi.spyOn(users, 'remove').mockImplementationOnce(async (...args) => {
      vi.restoreAllMocks();
      await meanwhile();
      return remove(...args);
    });
  }

  const revoke = ({ id }: Member) =>
    app.gatehouse.repositories.users.change(id, { cutOffAt: app.clock.now() });
  const disable = ({ id }: Member) =>
    app.gatehouse.repositories.users.change(id, { set: { isActive: false } });
  const remove = ({ id }: Member) => app.gatehouse.repositories.users.remove(id);

  test('a login that was checked before the cutoff and finishes after it gets a session of after it', async () => {
    // An attacker with the old password starts a login at the moment at which everything is signed out.
    const member = await signUp(app);
    beforeNextChange(() => revoke(member));
    const token = await logIn(app, member);
    const user = await app.gatehouse.repositories.users.find(member.id);
    const { iat } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    expect(iat * 1000).toBeGreaterThan(user!.tokensInvalidatedAfter!.getTime());
    expect(await isAlive(token)).toBe(true);
  });

  test('a login with a password that is replaced meanwhile fails', async () => {
    // An attacker with the old password starts a login at the moment at which its owner replaces it.
    const member = await signUp(app);
    const { hashedPassword } = (await app.gatehouse.repositories.users.find((await signUp(app)).id))!;
    const { users } = app.gatehouse.repositories;
    beforeNextChange(() =>
      users.change(member.id, {
        set: { hashedPassword: hashedPassword!.replace(/.{8}$/, 'AAAAAAAA') },
        cutOffAt: app.clock.now(),
      }),
    );
    const { email, password } = member;
    expect((await app.rest('POST', '/login', { email, password })).body.code).toBe('invalid_credentials');
  });

  test('a login of an account that is disabled or deleted meanwhile fails', async () => {
    for (const [end, code] of [
      [disable, 'account_disabled'],
      [remove, 'invalid_credentials'],
    ] as const) {
      const member = await signUp(app);
      beforeNextChange(() => end(member));
      const { email, password } = member;
      expect((await app.rest('POST', '/login', { email, password })).body.code).toBe(code);
    }
  });

  test('of many logins around a change of the password, all that the old one got are dead after it', async () => {
    // An attacker with the old password logs in all the time, to have one session that survives the change.
    const member = await signUp(app);
    const { email, password, token } = member;
    const logins = upTo(12).map(() => app.rest('POST', '/login', { email, password }));
    const body = { current_password: password, new_password: newPassword };
    const changed = app.rest('POST', '/change-password', body, { token });
    const more = upTo(12).map(() => app.rest('POST', '/login', { email, password }));
    const replies = await Promise.all([...logins, ...more]);
    expect((await changed).status).toBe(200);
    for (const reply of replies) {
      expect([200, 401, 429]).toContain(reply.status);
      if (reply.status === 200) expect(await isAlive(reply.body.access_token)).toBe(false);
    }
  });

  describe.each([
    ['signs everything out', revoke],
    ['disables the account', disable],
    ['deletes the account', remove],
  ] as const)('when somebody %s', (_, end) => {
    test.each([
      ['change of the password', 'POST', '/change-password', { new_password: newPassword }],
      ['request of another address', 'POST', '/change-email', {}],
      ['deletion', 'DELETE', '/account', {}],
    ] as const)('a %s under way does nothing', async (what, method, path, fields) => {
      // An attacker at a stolen session is still busy when its owner ends it.
      const member = await signUp(app);
      const { users } = app.gatehouse.repositories;
      const before = await users.find(member.id);
      const new_email = newAddress();
      const body = {
        current_password: member.password,
        ...fields,
        ...(path === '/change-email' && { new_email }),
      };
      const fired: string[] = [];
      for (const event of ['password_changed', 'email_change_requested', 'user_deleted'] as EventName[]) {
        app.gatehouse.on(event, () => fired.push(event));
      }
      const sent = app.mails.length;
      beforeNextChange(() => end(member));
      const reply = await app.rest(method, path, body, { token: member.token });
      expect([what, reply.status, reply.body.code]).toEqual([what, 401, 'unauthenticated']);
      const after = await users.find(member.id);
      if (end === remove) expect(after).toBeNull();
      else {
        const { hashedPassword, email } = before!;
        expect(after).toMatchObject({ hashedPassword, email, isActive: end !== disable });
      }
      await signUp(app);
      expect(fired).toEqual([]);
      expect(app.mails.slice(sent).map(({ to }) => to)).not.toContain(new_email);
      expect(app.mails.slice(sent).map(({ to }) => to)).not.toContain(member.email);
    });
  });

  test('a reset link that is asked for while everything is signed out is dead or never sent', async () => {
    const member = await signUp(app);
    const sent = app.mails.length;
    beforeNextChange(() => revoke(member));
    await app.rest('POST', '/forgot-password', { email: member.email });
    const other = await signUp(app);
    await app.rest('POST', '/forgot-password', { email: other.email });
    await app.nextMail(other.email);
    expect(app.mails.slice(sent).map(({ to }) => to)).not.toContain(member.email);
  });

  test('a cutoff by a server whose clock is behind kills what a server whose clock is ahead has issued', async () => {
    // Two servers disagree about the time; a thief holds a session of the one that is ahead.
    const member = await signUp(app);
    app.clock.advance(60_000);
    const thief = await logIn(app, member);
    app.clock.advance(-60_000);
    const body = { current_password: member.password, new_password: newPassword };
    const reply = await app.rest('POST', '/change-password', body, { token: thief });
    expect(reply.status).toBe(200);
    expect(await isAlive(thief)).toBe(false);
    const fresh = await logIn(app, { ...member, password: newPassword });
    expect(await isAlive(fresh)).toBe(true);
  });
});

describe('events', () => {
  /** Signs a new member in, in an app whose host listens as `listen` says. */
  async function withHandlers(listen: (app: App, clock: TestClock) => void): Promise<App> {
    const app = await startApp();
    listen(app, app.clock);
    await signUp(app);
    return app;
  }

  test('a handler that throws or rejects changes no answer, stops no other, and is logged', async () => {
    const heard: string[] = [];
    const app = await withHandlers(({ gatehouse }) => {
      gatehouse.on('user_logged_in', () => {
        throw new Error('thrown by the host');
      });
      gatehouse.on('user_logged_in', () => Promise.reject(new Error('rejected by the host')));
      gatehouse.on('user_logged_in', ({ method }) => heard.push(method));
    });
    expect(heard).toEqual(['password']);
    const failures = app.logs.filter(({ level }) => level === 'error');
    expect(failures.map(({ fields }) => String((fields as { err: Error }).err))).toEqual([
      'Error: thrown by the host',
      'Error: rejected by the host',
    ]);
    expect(failures[0]).toMatchObject({ fields: { event: 'user_logged_in' } });
    await app.close();
  });

  test('a handler that never returns holds up neither the answer, nor others, nor the end', async () => {
    const heard: string[] = [];
    const app = await withHandlers(({ gatehouse }) => {
      gatehouse.on('user_logged_in', () => new Promise(() => {}));
      gatehouse.on('user_logged_in', ({ method }) => heard.push(method));
    });
    expect(heard).toEqual(['password']);
    await app.close();
  });

  test('fire after the change is stored, with the user as GET /me answers it', async () => {
    const app = await startApp();
    const { users } = app.gatehouse.repositories;
    const stored: Promise<unknown>[] = [];
    for (const event of ['user_registered', 'user_verified', 'user_logged_in', 'user_updated'] as const) {
      app.gatehouse.on(event, async ({ user }) => {
        const read = users.find(user.id);
        stored.push(read.then(row => [event, row?.updatedAt.toISOString(), row?.isVerified]));
      });
    }
    const heard: unknown[] = [];
    app.gatehouse.on('user_logged_in', ({ user }) => heard.push(user));
    app.gatehouse.on('user_updated', ({ user }) => heard.push(user));
    const { token } = await signUpByMail(app);
    const me = (await app.rest('GET', '/me', undefined, { token })).body;
    const updated = (await app.rest('PATCH', '/me', { full_name: 'Ada' }, { token })).body;
    expect(heard).toEqual([asInNode(me), asInNode(updated)]);
    expect(await Promise.all(stored)).toEqual([
      ['user_registered', me.updated_at, true],
      ['user_verified', me.updated_at, true],
      ['user_logged_in', me.updated_at, true],
      ['user_updated', updated.updated_at, true],
    ]);
    await app.close();
  });

  test('no longer reach a handler that was taken away', async () => {
    const app = await startApp();
    const heard: unknown[] = [];
    const off = app.gatehouse.on('user_logged_in', event => heard.push(event));
    const member = await signUp(app);
    off();
    await logIn(app, member);
    expect(heard).toHaveLength(1);
    await app.close();
  });
});
