import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, logIn, signUp, startApp, TestClock, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';

const hourMs = 3_600_000;

describeEachDriver('when the clock is stepped', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, clock: new TestClock() });
  });
  afterAll(() => app?.close());
  const me = async (token: string) => (await app.rest('GET', '/me', undefined, { token })).status;

  // An operator corrects a clock that was an hour fast, or one that was an hour slow.
  test.each([
    ['back', -hourMs],
    ['forward', hourMs],
  ])(
    '%s: sessions that were ended stay dead, links that were used stay used, and a new login works',
    async (_, ms) => {
      const member = await signUp(app);
      const other = await logIn(app, member);
      await app.rest('POST', '/logout', undefined, { token: member.token });
      await app.rest('POST', '/forgot-password', { email: member.email });
      const link = tokenOf(await app.nextMail(member.email));
      const changed = await app.rest('POST', '/reset-password', { token: link, new_password: 'a new horse' });
      expect([changed.status, await me(member.token), await me(other)]).toEqual([200, 401, 401]);

      app.clock.advance(ms);
      expect([await me(member.token), await me(other)]).toEqual([401, 401]);
      const again = await app.rest('POST', '/reset-password', {
        token: link,
        new_password: 'yet another horse',
      });
      expect(again.body.code).toBe('invalid_token');
      const fresh = await logIn(app, { email: member.email, password: 'a new horse' });
      expect(await me(fresh)).toBe(200);
      await app.rest('POST', '/logout', { everywhere: true }, { token: fresh });
      expect(await me(fresh)).toBe(401);
      // However often and wherever it is put.
      app.clock.advance(-2 * ms);
      expect([await me(member.token), await me(other), await me(fresh)]).toEqual([401, 401, 401]);
      expect(await me(await logIn(app, { email: member.email, password: 'a new horse' }))).toBe(200);
    },
  );
});
