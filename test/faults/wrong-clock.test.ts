import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type App,
  logIn,
  type Member,
  newPassword,
  password,
  signUp,
  startApp,
  TestClock,
  tokenOf,
} from '../support/app.ts';
import { describeStory, type TestDatabase } from '../support/backends.ts';
import { baseUrl, type Oidc, startOidc } from '../support/oidc.ts';
import { codeIn, newAddress, upTo } from '../support/people.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const yearMs = 365 * 24 * hourMs;
const wrong = 'wrong horse battery';

let oidc: Oidc;
beforeAll(async () => {
  oidc = await startOidc();
});
afterAll(() => oidc?.close());
const settings = () => ({ baseUrl, enableSms2fa: true, enableOauth: true, oauth: oidc.settings });
let phones = 0;
const newPhone = () => `+44770090${String(++phones).padStart(4, '0')}`;
const credentialsOf = ({ email, password }: Member) => ({ email, password });

describeStory(
  'one moment of a clock that is a year ahead',
  backend => {
    let database: TestDatabase;
    /** Two servers on one database: the clock of one is wrong. */
    let right: App;
    let ahead: App;
    beforeAll(async () => {
      database = await backend.lendDatabase();
      const now = Date.now();
      const at = (ms: number) => new TestClock(new Date(now + ms).toISOString());
      right = await startApp({ databaseUrl: database.url, settings: settings(), clock: at(0) });
      ahead = await startApp({ databaseUrl: database.url, settings: settings(), clock: at(yearMs) });
    });
    afterAll(async () => {
      await right?.close();
      await ahead?.close();
      await database?.drop();
    });
    const pass = (ms: number) => {
      for (const { clock } of [right, ahead]) clock.advance(ms);
    };
    const me = async (app: App, token: string) => (await app.rest('GET', '/me', undefined, { token })).status;
    const signOutEverywhere = (app: App, token: string) =>
      app.rest('POST', '/logout', { everywhere: true }, { token });

    /** Somebody whose sessions were ended while the clock was wrong. */
    async function cutOffAhead(): Promise<Member> {
      const member = await signUp(right);
      await signOutEverywhere(ahead, await logIn(ahead, member));
      const user = await right.gatehouse.repositories.users.find(member.id);
      expect(user!.tokensInvalidatedAfter!.getTime()).toBeGreaterThan(
        right.clock.now().getTime() + yearMs / 2,
      );
      return member;
    }

    describe('stretches no lifetime', () => {
      // Shows asvs/7.3.2.
      test('of a session: one of that moment is refused, and every later one ends when it says', async () => {
        const member = await cutOffAhead();
        const stretched = await logIn(ahead, member);
        expect([await me(ahead, stretched), await me(right, stretched)]).toEqual([200, 401]);

        const { body } = await right.rest('POST', '/login', credentialsOf(member));
        const { access_token: token, expires_in } = body;
        const { iat, exp } = decodeJwt(token);
        const nowMs = right.clock.now().getTime();
        expect(expires_in).toBe(7200);
        expect(Math.round(exp! * 1000)).toBe(nowMs + 7_200_000);
        // Later than the cutoff, and so later than its own end: it is a session all the same.
        expect(iat!).toBeGreaterThan(exp!);
        expect(await me(right, token)).toBe(200);
        await signOutEverywhere(right, token);
        expect(await me(right, token)).toBe(401);

        const last = await logIn(right, member);
        pass(7_199_999);
        expect(await me(right, last)).toBe(200);
        pass(1);
        expect(await me(right, last)).toBe(401);
      });

      test('of a link that is mailed: a reset link works for half an hour', async () => {
        const { email } = await cutOffAhead();
        const reset = async (app: App, token: string) =>
          (await app.rest('POST', '/reset-password', { token, new_password: newPassword })).body;
        const linkOf = async (app: App) => {
          await app.rest('POST', '/forgot-password', { email });
          return tokenOf(await app.nextMail(email));
        };
        expect(await reset(right, await linkOf(ahead))).toMatchObject({ code: 'invalid_token' });
        const late = await linkOf(right);
        pass(30 * minuteMs);
        expect(await reset(right, late)).toMatchObject({ code: 'invalid_token' });
        const good = await linkOf(right);
        pass(30 * minuteMs - 1);
        expect(await reset(right, good)).toHaveProperty('message');
        await logIn(right, { email, password: newPassword });
      });

      test('of a registration: its link and its place are those of the right clock', async () => {
        const email = newAddress();
        await ahead.rest('POST', '/register', { email, password });
        const stretched = tokenOf(await ahead.nextMail(email));
        const { repositories } = right.gatehouse;
        const verify = (token: string) => right.rest('POST', '/verify', { token });
        expect((await verify(stretched)).body.code).toBe('invalid_token');
        expect((await right.rest('POST', '/login', { email, password })).body.code).toBe(
          'invalid_credentials',
        );
        expect(await repositories.pending.listAndCount({ search: email }, right.clock.now(), 10)).toEqual({
          rows: [],
          total: 0,
        });
        expect(await repositories.pending.count(right.clock.now(), email)).toBe(0);

        await right.rest('POST', '/register', { email, password });
        expect((await verify(tokenOf(await right.nextMail(email)))).status).toBe(200);
        await logIn(right, { email, password });
      });

      test('of an external sign-in, whether it is under way or finished', async () => {
        const start = async (app: App) =>
          (await app.rest('GET', '/oauth/google/start')).headers.get('Location')!;
        const callBack = async (app: App, from: URL) => {
          const reply = await app.rest('GET', `/oauth/google/callback${from.search}`);
          return new URL(reply.headers.get('Location')!);
        };
        const exchange = (app: App, ended: URL) =>
          app.rest('POST', '/oauth/exchange', { id: ended.searchParams.get('id') });
        const stretched = await oidc.signInAt(await start(ahead), randomUUID());
        expect((await callBack(right, stretched)).searchParams.get('error')).toBe('state_expired');

        const login = randomUUID();
        const finished = await callBack(ahead, await oidc.signInAt(await start(ahead), login));
        expect((await exchange(right, finished)).status).toBe(404);
        const good = await callBack(right, await oidc.signInAt(await start(right), login));
        const { status, body } = await exchange(right, good);
        expect([status, body.expires_in, await me(right, body.access_token)]).toEqual([200, 7200, 200]);
      });

      test('of a code, or of the pending token that goes with it', async () => {
        const member = await signUp(right);
        const post = (app: App, path: string, body: object, token = member.token) =>
          app.rest('POST', path, body, { token });
        const phone_number = newPhone();
        const start = { phone_number, current_password: member.password };
        const { body } = await post(right, '/phone/start', start);
        const code = codeIn(await right.nextText(phone_number));
        await post(right, '/phone/confirm', { pending_token: body.pending_token, code });

        const login = (app: App) => app.rest('POST', '/login', credentialsOf(member));
        const second = (app: App, mfa_pending_token: string, code: string) =>
          app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code });
        const stretched = (await login(ahead)).body.mfa_pending_token;
        const itsCode = codeIn(await ahead.nextText(phone_number));
        expect((await second(right, stretched, itsCode)).body.code).toBe('invalid_token');

        const good = (await login(right)).body.mfa_pending_token;
        const itsOwn = codeIn(await right.nextText(phone_number));
        const { mfa_codes } = right.gatehouse.repositories;
        const stored = (await mfa_codes.find(member.id, 'login'))!;
        await mfa_codes.replace({ ...stored, expiresAt: new Date(stored.expiresAt.getTime() + yearMs) });
        expect((await second(right, good, itsOwn)).body.code).toBe('mfa_code_expired');
        await mfa_codes.replace(stored);
        expect((await second(right, good, itsOwn)).status).toBe(200);
      });
    });

    describe('holds no count for a year', () => {
      test('of failed logins: it counts from the first reading, and is stored so', async () => {
        const member = await signUp(right);
        for (const _ of upTo(5)) await ahead.rest('POST', '/login', { email: member.email, password: wrong });
        const login = () => right.rest('POST', '/login', credentialsOf(member));
        const locked = await login();
        expect([locked.body.code, locked.headers.get('Retry-After')]).toEqual(['account_locked', '900']);
        const rows = await right.gatehouse.repositories.attempts.list(member.email);
        expect(rows.map(row => row.when)).toEqual(Array(5).fill(right.clock.now()));
        pass(15 * minuteMs - 1);
        expect((await login()).headers.get('Retry-After')).toBe('1');
        pass(1);
        expect((await login()).status).toBe(200);
      });

      test('of a guess that a stopped process holds', async () => {
        // A process with a wrong clock is killed in the midst of a burst of right passwords.
        const member = await signUp(right);
        const { email } = member;
        for (const slot of upTo(5)) {
          const held = {
            id: `${email}#${slot}`,
            subject: email,
            when: ahead.clock.now(),
            ip: null,
            settled: false,
          };
          await ahead.gatehouse.repositories.attempts.add(held);
        }
        await logIn(right, member);
      });

      test('of mails', async () => {
        const { email } = await signUp(right);
        const ask = (app: App) => app.rest('POST', '/forgot-password', { email });
        for (const _ of upTo(5)) {
          await ask(ahead);
          await ahead.nextMail(email);
        }
        const mails = right.mails.length;
        const held = heldBack(right);
        await ask(right);
        await held;
        expect(right.mails.slice(mails).filter(({ to }) => to === email)).toEqual([]);
        pass(hourMs);
        await ask(right);
        await right.nextMail(email);
      });

      test('of text messages', async () => {
        const member = await signUp(right);
        const start = (app: App, phone_number: string) =>
          app.rest('POST', '/phone/start', { phone_number, current_password: member.password }, member);
        const token = await logIn(ahead, member);
        const phone = newPhone();
        for (const _ of upTo(5)) {
          const { status } = await ahead.rest(
            'POST',
            '/phone/start',
            { phone_number: phone, current_password: member.password },
            { token },
          );
          expect(status).toBe(202);
        }
        const other = await signUp(right);
        const startAsOther = () =>
          right.rest(
            'POST',
            '/phone/start',
            { phone_number: phone, current_password: other.password },
            other,
          );
        const capped = await start(right, phone);
        expect([capped.body.code, capped.headers.get('Retry-After')]).toEqual(['rate_limited', '3600']);
        expect((await startAsOther()).body.code).toBe('rate_limited');
        pass(hourMs);
        expect((await startAsOther()).status).toBe(202);
      });
    });

    test('lets no purge remove what still counts', async () => {
      // A session is ended at the right server; the other one removes its entry as long expired.
      const member = await signUp(right);
      await right.rest('POST', '/logout', undefined, { token: member.token });
      expect(await me(right, member.token)).toBe(401);
      expect(await ahead.gatehouse.purgeExpired()).toMatchObject({ blacklist: 0 });
      expect(await me(right, member.token)).toBe(401);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

/** Resolves when the app has held an email back for the cap of its address. */
function heldBack(app: App): Promise<void> {
  return new Promise(resolve => {
    const stop = app.gatehouse.on('audit', ({ reason }) => {
      if (reason !== 'mail_cap') return;
      stop();
      resolve();
    });
  });
}
