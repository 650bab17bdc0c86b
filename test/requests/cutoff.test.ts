import argon2 from 'argon2';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, signUp, startApp, TestClock } from '../support/app.ts';
import { describeEachBackend, describeEachDriver, type TestDatabase } from '../support/backends.ts';
import { heldAtItsPassword } from '../support/held-check.ts';
import { isAlive } from '../support/people.ts';

/** As far as the clocks of servers may be apart: a token whose end lies further ahead is refused. */
const apart = 300_000;
const iatOf = (token: string) => Math.round(decodeJwt(token).iat! * 1000);
const signOutEverywhere = (app: App, token: string) =>
  app.rest('POST', '/logout', { everywhere: true }, { token });
const cutoffOf = async (app: App, { id }: Member) =>
  (await app.gatehouse.repositories.users.find(id))?.tokensInvalidatedAfter?.getTime();

describeEachDriver('a cutoff', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend });
  });
  afterAll(() => app?.close());

  test('revokes the tokens of its own tick, and a login of that tick gets a later one', async () => {
    // An attacker's token is as old as the cutoff to the millisecond. The clock stands still here.
    const member = await signUp(app);
    const twin = await logIn(app, member);
    await signOutEverywhere(app, member.token);
    const cutoff = await cutoffOf(app, member);
    expect(cutoff).toBe(iatOf(twin));
    expect(await isAlive(app, twin)).toBe(false);

    const fresh = await logIn(app, member);
    expect(iatOf(fresh)).toBeGreaterThan(cutoff!);
    expect(await isAlive(app, fresh)).toBe(true);
  });

  test('kills what was given since the one before, however often in one tick', async () => {
    const member = await signUp(app);
    let { token } = member;
    for (let i = 0; i < 5; i++) {
      await signOutEverywhere(app, token);
      expect(await isAlive(app, token)).toBe(false);
      token = await logIn(app, member);
      expect(await isAlive(app, token)).toBe(true);
    }
  });

  test('neither saves an old token nor kills a new one when the clock has gone back', async () => {
    const member = await signUp(app);
    const other = await logIn(app, member);
    app.clock.advance(-apart);
    await signOutEverywhere(app, member.token);
    for (const old of [member.token, other]) expect(await isAlive(app, old)).toBe(false);
    const fresh = await logIn(app, member);
    expect(await isAlive(app, fresh)).toBe(true);
    app.clock.advance(apart);
    expect(await isAlive(app, fresh)).toBe(true);
    expect(await isAlive(app, other)).toBe(false);
  });

  // Shows asvs/7.3.2, 63b/2.1.3#overall-timeout, 63b/2.2.3#overall-timeout, 63b/5.2#either-timeout.
  test('outlives the session, which also ends by itself', async () => {
    const member = await signUp(app);
    app.clock.advance(7_199_999);
    expect(await isAlive(app, member.token)).toBe(true);
    app.clock.advance(1);
    expect(await isAlive(app, member.token)).toBe(false);
  });

  describe('that falls into a login', () => {
    // An attacker who holds the password begins a login just before the owner cuts all sessions.

    /** Begins a login and holds it at the check of its password until `meanwhile` is done. */
    async function logInWhile({ email, password }: Member, meanwhile: () => Promise<unknown>) {
      const login = () => app.rest('POST', '/login', { email, password });
      const { reply, checks } = await heldAtItsPassword(login, meanwhile);
      return { ...reply, checks };
    }

    test('makes it start over, with a new look at the password', async () => {
      const member = await signUp(app);
      const { body, checks } = await logInWhile(member, () => signOutEverywhere(app, member.token));
      expect(checks).toBe(2);
      expect(iatOf(body.access_token)).toBeGreaterThan((await cutoffOf(app, member))!);
      expect(await isAlive(app, body.access_token)).toBe(true);
    });

    test('refuses it when the password was changed along', async () => {
      const member = await signUp(app);
      const { users } = app.gatehouse.repositories;
      const hashedPassword = await argon2.hash('a new password');
      const { status, body } = await logInWhile(member, () =>
        users.change(member.id, { set: { hashedPassword }, cutOffAt: app.clock.now() }),
      );
      expect([status, body.code]).toEqual([401, 'invalid_credentials']);
    });

    test('refuses it when the account was disabled along', async () => {
      const member = await signUp(app);
      const { users } = app.gatehouse.repositories;
      const { status, body } = await logInWhile(member, () =>
        users.change(member.id, { set: { isActive: false }, cutOffAt: app.clock.now() }),
      );
      expect([status, body.code]).toEqual([403, 'account_disabled']);
    });

    test('refuses it when the account was deleted', async () => {
      const member = await signUp(app);
      const { users } = app.gatehouse.repositories;
      const { status, body } = await logInWhile(member, () => users.remove(member.id));
      expect([status, body.code]).toEqual([401, 'invalid_credentials']);
    });

    test('leaves of 20 at once only those alive that came after it, and refuses none', async () => {
      const member = await signUp(app);
      const logins = Array.from({ length: 20 }, () => logIn(app, member));
      const [tokens] = await Promise.all([Promise.all(logins), signOutEverywhere(app, member.token)]);
      const cutoff = (await cutoffOf(app, member))!;
      for (const token of tokens) expect(await isAlive(app, token)).toBe(iatOf(token) > cutoff);
      expect(await isAlive(app, member.token)).toBe(false);
    });
  });
});

describeEachBackend(
  'servers whose clocks disagree',
  backend => {
    // An attacker keeps a token that a server with a fast clock has issued; a slow one cuts the sessions.
    let database: TestDatabase;
    let ahead: App;
    let behind: App;
    beforeAll(async () => {
      database = await backend.lendDatabase();
      const clock = new TestClock();
      clock.advance(apart);
      ahead = await startApp({ databaseUrl: database.url, clock });
      behind = await startApp({ databaseUrl: database.url });
    });
    afterAll(async () => {
      await ahead?.close();
      await behind?.close();
      await database?.drop();
    });

    test.each<[string, () => [App, App]]>([
      ['behind', () => [behind, ahead]],
      ['ahead', () => [ahead, behind]],
    ])('agree on who is out when the one %s cuts, and let in again at both', async (_, order) => {
      const [cutting, other] = order();
      const member = await signUp(cutting);
      const tokens = [member.token, await logIn(other, member), await logIn(cutting, member)];
      await signOutEverywhere(cutting, member.token);
      for (const token of tokens) {
        expect(await isAlive(cutting, token)).toBe(false);
        expect(await isAlive(other, token)).toBe(false);
      }
      for (const server of [other, cutting]) {
        const token = await logIn(server, member);
        expect(await isAlive(cutting, token)).toBe(true);
        expect(await isAlive(other, token)).toBe(true);
      }
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb', 'mongodb-replica'] },
);
