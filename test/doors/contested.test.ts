import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type App, type AppOptions, startApp, tokenOf } from '../support/app.ts';
import { describeEachKind } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { newAddress, signUpSuperuser } from '../support/people.ts';

const owners = 'the owner chose this one';
const strangers = 'a stranger chose this one';

const newestToken = (app: App, email: string) =>
  tokenOf(app.mails.findLast(({ to, text }) => to === email && /[?&]token=/.test(text))!);

describeEachKind('an address that is registered more than once', backend => {
  describe.each(doorsOn(backend))('through $name', door => {
    let app: App;
    let call: Call;
    const started: App[] = [];
    const start = async (settings: AppOptions['settings'] = {}) => {
      const app = await startApp({ backend, settings });
      started.push(app);
      return app;
    };
    beforeAll(async () => {
      app = await startApp({ backend, settings: { enableSms2fa: true, enableAdminRouter: true } });
      call = door.at(app);
    });
    afterEach(async () => {
      for (const own of started.splice(0)) await own.close();
    });
    afterAll(() => app?.close());

    const register = (email: string, password: string, by = call) => by('register', { email, password });
    const login = (email: string, password: string, by = call) => by('login', { email, password });
    const refused = { ok: false, code: 'invalid_credentials', status: 401 };

    /** Registers and waits for the mail. */
    async function registered(email: string, password: string): Promise<string> {
      await resultOf(register(email, password));
      return tokenOf(await app.nextMail(email));
    }

    test('belongs to the person who opens the mail, though a stranger has used up its mails', async () => {
      // A stranger registers somebody's address until no mail is left, so that the newest link is that of his password,
      // and waits for the owner to open it.
      const email = newAddress();
      for (let i = 0; i < 5; i++) await registered(email, strangers);
      expect(await register(email, owners)).toMatchObject({
        ok: true,
        value: { status: 'pending_verification', email },
      });
      expect(app.mails.filter(({ to }) => to === email)).toHaveLength(5);
      const token = newestToken(app, email);

      for (const password of [strangers, owners]) expect(await login(email, password)).toMatchObject(refused);
      for (let i = 0; i < 2; i++) {
        expect(await call('verify', { token })).toMatchObject({ code: 'password_required', status: 400 });
      }
      expect(await login(email, strangers)).toMatchObject(refused);

      const user = await resultOf(call('verify', { token, password: owners }));
      expect(user).toMatchObject({ email, is_verified: true });
      expect(await login(email, strangers)).toMatchObject(refused);
      const session = await resultOf(login(email, owners));
      expect(session.token_type).toBe('bearer');

      // Nothing of the stranger's stands between the owner and a reset either.
      await resultOf(call('forgotPassword', { email }));
      const reset = /[?&]token=(\S+)/.exec((await app.nextMail(email)).text)![1]!;
      await resultOf(call('resetPassword', { token: reset, new_password: 'chosen by a reset' }));
      expect(await resultOf(login(email, 'chosen by a reset'))).toHaveProperty('access_token');
      expect(app.texts).toEqual([]);
      expect(await call('verify', { token, password: strangers })).toMatchObject({ code: 'invalid_token' });
    });

    test('keeps no password either when the stranger registered once and resends used its mails up', async () => {
      const email = newAddress();
      await registered(email, strangers);
      for (let i = 0; i < 4; i++) {
        await resultOf(call('resendVerification', { email }));
        await app.nextMail(email);
      }
      await resultOf(register(email, owners));
      const token = newestToken(app, email);
      for (const password of [strangers, owners]) expect(await login(email, password)).toMatchObject(refused);
      expect(await call('verify', { token })).toMatchObject({ code: 'password_required' });
      await resultOf(call('verify', { token, password: owners }));
      expect(await login(email, owners)).toMatchObject({ ok: true });
      expect(await login(email, strangers)).toMatchObject(refused);
    });

    test('gets a link of its own with each registration, and the former one is dead', async () => {
      const email = newAddress();
      const first = await registered(email, strangers);
      const second = await registered(email, owners);
      expect(await call('verify', { token: first, password: strangers })).toMatchObject({
        code: 'invalid_token',
      });
      expect(await call('verify', { token: second })).toMatchObject({ code: 'password_required' });
      await resultOf(call('verify', { token: second, password: owners }));
      expect(await login(email, strangers)).toMatchObject(refused);
      expect(await login(email, owners)).toMatchObject({ ok: true });
    });

    test('stays contested by a resend', async () => {
      const email = newAddress();
      await registered(email, strangers);
      await registered(email, owners);
      await resultOf(call('resendVerification', { email }));
      const token = tokenOf(await app.nextMail(email));
      expect(await call('verify', { token })).toMatchObject({ code: 'password_required' });
      expect(await call('verify', { token, password: owners })).toMatchObject({ ok: true });
    });

    test('takes only a password that any other form would take, and the link stays good', async () => {
      const email = newAddress();
      await registered(email, strangers);
      const token = await registered(email, owners);
      for (const password of ['1234567', 'x'.repeat(129)]) {
        expect(await call('verify', { token, password })).toMatchObject({
          code: 'invalid_input',
          status: 422,
          errors: [{ path: 'password' }],
        });
      }
      expect(await call('verify', { token, password: owners })).toMatchObject({ ok: true });
    });

    test('counts guesses like any other, so that it does not reveal that it is contested', async () => {
      const email = newAddress();
      await registered(email, strangers);
      await registered(email, owners);
      for (let i = 0; i < 5; i++) expect(await login(email, strangers)).toMatchObject(refused);
      expect(await login(email, strangers)).toMatchObject({ code: 'account_locked', status: 429 });
    });

    test('is not contested when the former registration has ended', async () => {
      const own = await start({ verificationTokenTtlSeconds: 60 });
      const there = door.at(own);
      const email = newAddress();
      for (const password of [strangers, strangers]) await resultOf(register(email, password, there));
      const dead = tokenOf(await own.nextMail(email));
      await own.nextMail(email);
      own.clock.advance(60_000);
      expect(await there('verify', { token: newestToken(own, email), password: strangers })).toMatchObject({
        code: 'invalid_token',
      });
      await resultOf(register(email, owners, there));
      const token = tokenOf(await own.nextMail(email));
      expect(token).not.toBe(dead);
      expect(await login(email, owners, there)).toMatchObject({ code: 'email_not_verified' });
      await resultOf(there('verify', { token }));
      expect(await login(email, owners, there)).toMatchObject({ ok: true });
      expect(await login(email, strangers, there)).toMatchObject(refused);
    });

    test('becomes an account without a password when an administrator promotes it', async () => {
      // A stranger registers an address again, and the administrator promotes the newest registration.
      const { token: session } = await signUpSuperuser(app);
      const email = newAddress();
      await registered(email, owners);
      const listed = async () => {
        const { body } = await app.rest('GET', `/admin/pending?search=${email}`, undefined, {
          token: session,
        });
        const query = `query ($search: String) { pendingRegistrations(search: $search) {
          nodes { email isContested } } }`;
        const graphql = await app.graphql(query, { search: email }, { token: session });
        const [node] = graphql.body.data.pendingRegistrations.nodes;
        expect(node.isContested).toBe(body.items[0].is_contested);
        return body.items[0].is_contested;
      };
      expect(await listed()).toBe(false);
      await registered(email, strangers);
      expect(await listed()).toBe(true);

      const user = await resultOf(call('adminPromotePending', { email }, { token: session }));
      expect(user).toMatchObject({ email, is_verified: true });
      const stored = await app.gatehouse.repositories.users.find(user.id);
      expect(stored?.hashedPassword).toBeNull();
      for (const password of [strangers, owners]) expect(await login(email, password)).toMatchObject(refused);
      await resultOf(call('forgotPassword', { email }));
      const reset = /[?&]token=(\S+)/.exec((await app.nextMail(email)).text)![1]!;
      await resultOf(call('resetPassword', { token: reset, new_password: owners }));
      expect(await login(email, owners)).toMatchObject({ ok: true });
    });

    test('takes a password at verification although only one person registered it', async () => {
      const email = newAddress();
      const token = await registered(email, strangers);
      await resultOf(call('verify', { token, password: owners }));
      expect(await login(email, strangers)).toMatchObject(refused);
      expect(await login(email, owners)).toMatchObject({ ok: true });
    });
  });
});
