import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../src/config/schema.ts';
import { type App, startApp, TestClock, tokenOf } from './support/app.ts';
import { describeEachBackend, type TestDatabase } from './support/backends.ts';
import { type BeforePeople, before } from './support/former.ts';
import { baseUrl, type Oidc, startOidc } from './support/oidc.ts';
import { Passkey } from './support/passkeys.ts';
import { isAlive } from './support/people.ts';
import { nextCodeOf } from './support/strong.ts';

// A database of the version before this one (test/fixtures/before) had strong sign-in, the list of sessions, notices of new
// sign-ins, and mail and audit in the database. `BeforePeople` says who is in it.

const settings: ConfigInput = {
  ...{ baseUrl, enableOauth: true, enableSms2fa: true, enableAdminRouter: true },
  ...{ enableTotp: true, enablePasskeys: true, enableSessionList: true, notifyNewSignIn: true },
  ...{ mailStore: 'database', auditStore: 'database', dataEncryptionKey: 'A'.repeat(43) },
  ...{ supportContact: 'help@example.org', loginRateLimit: '1000/hour' },
};

const address = (name: string) => `${name}@example.org`;

describeEachBackend(
  'a database of the version before this one',
  backend => {
    let database: TestDatabase;
    let oidc: Oidc;
    let app: App;
    let people: BeforePeople;
    beforeAll(async () => {
      people = before.people(backend.name as 'sqlite' | 'postgresql' | 'mongodb');
      database = await backend.createDatabase();
      oidc = await startOidc();
      await before.restore(database.url, text => text.replaceAll(people.issuer, oidc.issuer));
      app = await startApp({
        databaseUrl: database.url,
        clock: new TestClock(people.now),
        settings: { ...settings, oauth: oidc.settings },
      });
    });
    afterAll(async () => {
      await app?.close();
      await oidc?.close();
      await database?.drop();
    });

    const post = (path: string, body: object) => app.rest('POST', path, body);
    const logIn = (name: string, password = people.password) =>
      post('/login', { email: address(name), password });
    const second = (mfa_pending_token: string, code: string, method?: string) =>
      post('/login/mfa-confirm', { mfa_pending_token, code, ...(method && { method }) });
    const me = async (token: string) => (await app.rest('GET', '/me', undefined, { token })).body;
    const codeTo = async (phone: string) => /(\d{6})$/.exec((await app.nextText(phone)).text)![1]!;

    /** The token in the next mail to somebody that links to this page; others are passed over. */
    async function linkIn(name: string, page: string): Promise<string> {
      for (;;) {
        const mail = await app.nextMail(address(name));
        if (mail.text.includes(`/${page}?token=`)) return tokenOf(mail);
      }
    }

    /** Begins a sign-in with the password. Returns its pending token and its methods. */
    async function begin(name: string): Promise<{ mfa_pending_token: string; methods: string[] }> {
      const { body } = await logIn(name);
      expect(body).toMatchObject({ status: 'mfa_required' });
      return body;
    }

    describe('sessions', () => {
      test('stay good, with those that were ended', async () => {
        const { reported, putback, moved, ...good } = people.sessions;
        for (const [name, token] of Object.entries(good)) {
          expect(await me(token)).toMatchObject({ email: address(name) });
        }
        for (const token of [reported, putback, moved]) expect(await isAlive(app, token!)).toBe(false);
      });
    });

    describe('sign-ins', () => {
      test('with a password alone go on', async () => {
        for (const name of ['superuser', 'ordinary', 'passkey', 'linked', 'open', 'moved-away', 'changing']) {
          expect([name, (await logIn(name)).body.token_type]).toEqual([name, 'bearer']);
        }
      });

      test('with a text message go on, one that waited for its code included', async () => {
        const { mfa_pending_token, code } = people.phoneLogin;
        expect((await second(mfa_pending_token, code)).status).toBe(200);
        const begun = await begin('phone');
        expect(begun.methods).toEqual(['sms']);
        const next = await codeTo(people.phones.phone);
        expect((await second(begun.mfa_pending_token, next)).status).toBe(200);
      });

      test('with an app go on, one that waited for its code included', async () => {
        const { secrets, appLogin } = people;
        const waited = await second(appLogin.mfa_pending_token, nextCodeOf(app, secrets.app!));
        expect((await me(waited.body.access_token)).email).toBe(address('app'));
        for (const name of ['app', 'both', 'imported']) {
          const { mfa_pending_token, methods } = await begin(name);
          expect(methods).toEqual(expect.arrayContaining(['totp', 'recovery_code']));
          const code = nextCodeOf(app, secrets[name]!);
          expect([name, (await second(mfa_pending_token, code)).status]).toEqual([name, 200]);
        }
      });

      test('with a phone that was confirmed go on beside an app', async () => {
        const { mfa_pending_token, methods } = await begin('both');
        expect(methods).toContain('sms');
        await post('/login/mfa-send', { mfa_pending_token });
        const code = await codeTo(people.phones.both);
        expect((await second(mfa_pending_token, code, 'sms')).status).toBe(200);
      });

      test('with a recovery code go on, once for each', async () => {
        const code = people.recoveryCodes.app![0]!;
        const recover = async () => {
          const { mfa_pending_token } = await begin('app');
          return (await second(mfa_pending_token, code, 'recovery_code')).status;
        };
        expect([await recover(), await recover()]).toEqual([200, 400]);
      });

      test('with a passkey go on', async () => {
        const { id, options } = (await post('/login/passkey/start', {})).body;
        const credential = Passkey.of(people.passkey).get(options, { counter: 1 });
        const { body } = await post('/login/passkey', { id, credential });
        expect((await me(body.access_token)).id).toBe(people.ids.passkey);
      });

      test('with a provider go on', async () => {
        const start = await app.rest('GET', '/oauth/google/start');
        const { search } = await oidc.signInAt(start.headers.get('Location')!, 'linked-subject');
        const ended = await app.rest('GET', `/oauth/google/callback${search}`);
        const id = new URL(ended.headers.get('Location')!).searchParams.get('id');
        const { body } = await post('/oauth/exchange', { id });
        expect((await me(body.access_token)).id).toBe(people.ids.linked);
      });
    });

    describe('mailed links', () => {
      test('make a waiting registration an account', async () => {
        const { body } = await post('/verify', { token: people.registration });
        expect(body).toMatchObject({ email: address('waiting'), is_verified: true });
      });

      test('change an address', async () => {
        const { body } = await post('/confirm-email-change', { token: people.emailChange });
        expect(body).toMatchObject({ id: people.ids.changing, email: address('changed') });
      });
    });

    describe('a link "this was not me"', () => {
      test('that was reported keeps the password stopped until it is reset', async () => {
        expect((await logIn('reported')).body.code).toBe('invalid_credentials');
        await post('/forgot-password', { email: address('reported') });
        const token = await linkIn('reported', 'reset-password');
        expect((await post('/reset-password', { token, new_password: people.newPassword })).status).toBe(200);
        expect((await logIn('reported', people.newPassword)).status).toBe(200);
      });

      test('that has put an account back leaves it with the password that was chosen, and is dead', async () => {
        expect((await logIn('putback', people.newPassword)).status).toBe(200);
        expect((await post('/not-me', { token: people.notMe.putback })).body.code).toBe('invalid_token');
      });

      test('that is open closes the account, whatever the page of the former version sends', async () => {
        const former = { password: people.password, new_password: people.newPassword };
        const report = await post('/not-me', { token: people.notMe.open, ...former });
        expect(report).toMatchObject({ status: 200, body: { password_needed: true } });
        expect((await logIn('open')).body.code).toBe('invalid_credentials');
        expect(await isAlive(app, people.sessions.open!)).toBe(false);
        await post('/forgot-password', { email: address('open') });
        const token = await linkIn('open', 'reset-password');
        expect((await post('/reset-password', { token, new_password: people.newPassword })).status).toBe(200);
        expect((await logIn('open', people.newPassword)).status).toBe(200);
      });
    });

    test('keeps the records of the audit', async () => {
      const options = { token: people.sessions.superuser! };
      const query = `operation=confirmPhoneSetup&outcome=ok`;
      const { items } = (await app.rest('GET', `/admin/audit?${query}`, undefined, options)).body;
      const { phone, both } = people.ids;
      expect(items.map(({ subject }: { subject: string }) => subject)).toEqual([both, phone]);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
