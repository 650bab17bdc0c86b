import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, startApp, tokenOf } from '../support/app.ts';
import { describeEachKind } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { baseUrl, type Oidc, startOidc } from '../support/oidc.ts';
import { codeIn, newAddress, newPhone } from '../support/people.ts';

const owners = 'the owner chose this one';
const strangers = 'a stranger chose this one';
const refusal = { ok: false, code: 'email_not_verified', status: 403 };

let oidc: Oidc;
beforeAll(async () => {
  oidc = await startOidc();
});
afterAll(() => oidc?.close());

describeEachKind('an account whose address is not verified', backend => {
  describe.each(doorsOn(backend))('through $name', door => {
    let app: App;
    let call: Call;
    beforeAll(async () => {
      app = await startApp({
        backend,
        settings: {
          ...{ baseUrl, requireVerification: false, enableOauth: true, enableSms2fa: true },
          oauth: oidc.settings,
        },
      });
      call = door.at(app);
    });
    afterAll(() => app?.close());

    const repositories = () => app.gatehouse.repositories;

    /** Somebody who has registered an address, perhaps that of somebody else, and signed in. */
    async function register(password = strangers): Promise<Member> {
      const email = newAddress();
      const { id } = await resultOf(call('register', { email, password }));
      const { access_token: token } = await resultOf(call('login', { email, password }));
      return { id, email, password, token };
    }

    async function linkTo(email: string): Promise<string> {
      await resultOf(call('resendVerification', { email }));
      for (;;) {
        const mail = await app.nextMail(email);
        if (/verify\?token=/.test(mail.text)) return tokenOf(mail);
      }
    }

    const startSetup = ({ token, password }: Member, phone_number = newPhone()) =>
      call('startPhoneSetup', { phone_number, current_password: password }, { token });
    const startLink = ({ token }: Member) => call('startOAuthLink', { provider: 'google' }, { token });
    const isAlive = async (token: string) => (await call('me', undefined, { token })).ok;

    test('that was reported is open again once its link has set a password, as after a reset', async () => {
      const member = await register();
      const { users } = repositories();
      const now = app.clock.now();
      await users.change(member.id, { set: { reportedAt: now, distrustedSince: now } });
      await resultOf(call('verify', { token: await linkTo(member.email), password: owners }));
      expect(await users.find(member.id)).toMatchObject({ reportedAt: null, distrustedSince: null });
      await resultOf(call('login', { email: member.email, password: owners }));
    });

    test('gets no phone and no identity, so nothing of a stranger survives its reset', async () => {
      // A stranger registers somebody's address, plants a phone and an identity, and waits until the owner resets the
      // password: the codes would go to his phone.
      const stranger = await register();
      const texts = app.texts.length;
      expect(await startSetup(stranger)).toMatchObject(refusal);
      expect(await startLink(stranger)).toMatchObject(refusal);
      expect(app.texts).toHaveLength(texts);

      const { email } = stranger;
      await resultOf(call('forgotPassword', { email }));
      const token = /[?&]token=(\S+)/.exec((await app.nextMail(email)).text)![1]!;
      await resultOf(call('resetPassword', { token, new_password: owners }));
      expect(await call('login', { email, password: strangers })).toMatchObject({
        code: 'invalid_credentials',
      });
      const session = await resultOf(call('login', { email, password: owners }));
      expect(session).toHaveProperty('access_token');
      expect(await isAlive(stranger.token)).toBe(false);
      const owner = { ...stranger, password: owners, token: session.access_token };
      expect(await startSetup(owner)).toMatchObject({ ok: true });
      expect(await startLink(owner)).toMatchObject({ ok: true });
    });

    test('is refused before its password is looked at, so that no guess is counted', async () => {
      const member = await register();
      for (let i = 0; i < 6; i++) {
        expect(await startSetup({ ...member, password: 'wrong horse battery' })).toMatchObject(refusal);
      }
      await resultOf(call('verify', { token: await linkTo(member.email) }));
      expect(await startSetup(member)).toMatchObject({ ok: true });
    });

    test('confirms no phone by a right code, either', async () => {
      const member = await register();
      await resultOf(call('verify', { token: await linkTo(member.email) }));
      const phone = newPhone();
      const { pending_token } = await resultOf(startSetup(member, phone));
      const code = codeIn(await app.nextText(phone));
      await repositories().users.change(member.id, { set: { isVerified: false } });
      const confirm = () => call('confirmPhoneSetup', { pending_token, code }, { token: member.token });
      expect(await confirm()).toMatchObject(refusal);
      expect(await repositories().users.find(member.id)).toMatchObject({ phoneNumber: null });
      await repositories().users.change(member.id, { set: { isVerified: true } });
      expect(await confirm()).toMatchObject({ ok: true });
    });

    test('keeps its password and its sessions when it is verified without a password', async () => {
      const member = await register();
      await resultOf(call('verify', { token: await linkTo(member.email) }));
      expect(await isAlive(member.token)).toBe(true);
      const { email, password } = member;
      expect(await call('login', { email, password })).toMatchObject({ ok: true });
    });

    test('goes to the person who verifies it with a password of their own', async () => {
      // A stranger registered the address and is signed in while its owner opens the mail. He set up a phone and an
      // identity when a former version still let him.
      const { id, email, token: session } = await register();
      const { users, oauth_identities, mfa_codes } = repositories();
      const now = app.clock.now();
      await users.change(id, { set: { phoneNumber: '+15550100', isMfaEnabled: true } });
      const identity = { provider: 'google', issuer: '', subjectId: randomUUID(), userId: id, email: null };
      await oauth_identities.add({ id: randomUUID(), ...identity, linkedAt: now, lastUsedAt: null });
      const expiresAt = new Date(now.getTime() + 300_000);
      const code = { phoneNumber: '+15550100', codeHash: 'hash', attempts: 0, createdAt: now, expiresAt };
      await mfa_codes.replace({ userId: id, kind: 'phone_setup', ...code });
      const events: string[] = [];
      const offs = (['user_verified', 'password_changed'] as const).map(name =>
        app.gatehouse.on(name, ({ user }) => void (user.id === id && events.push(name))),
      );

      const token = await linkTo(email);
      const user = await resultOf(call('verify', { token, password: owners }));
      for (const off of offs) off();
      expect(user).toMatchObject({ id, is_verified: true, phone_number: null, is_mfa_enabled: false });
      expect(user.tokens_invalidated_after).not.toBeNull();
      expect(events).toEqual(['user_verified', 'password_changed']);
      expect(await isAlive(session)).toBe(false);
      expect(await oauth_identities.listByUser(id)).toEqual([]);
      expect(await mfa_codes.find(id, 'phone_setup')).toBeNull();
      expect((await app.nextMail(email)).subject).toMatch(/password .* was changed/);
      expect(await call('login', { email, password: strangers })).toMatchObject({
        code: 'invalid_credentials',
      });
      expect(await resultOf(call('login', { email, password: owners }))).toHaveProperty('access_token');
      expect(await call('verify', { token, password: strangers })).toMatchObject({ code: 'invalid_token' });
    });

    test('takes no password by the link once it was verified by other means', async () => {
      // A verification link lives longer than a reset link, and must not stand in for one.
      const { id, email } = await register();
      const token = await linkTo(email);
      await repositories().users.change(id, { set: { isVerified: true } });
      expect(await call('verify', { token, password: owners })).toMatchObject({ code: 'invalid_token' });
      expect(await call('login', { email, password: owners })).toMatchObject({ code: 'invalid_credentials' });
      expect(await call('login', { email, password: strangers })).toMatchObject({ ok: true });
    });
  });
});
