import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Tokens } from '../../src/crypto/tokens.ts';
import type { Events } from '../../src/events.ts';
import { newUser } from '../../src/services/new-user.ts';
import { type App, jwtSecret, logIn, type Member, signUp, startApp } from '../support/app.ts';
import { type Backend, describeEachDriver } from '../support/backends.ts';
import { type Call, doors, resultOf } from '../support/doors.ts';

const newPassword = 'another horse battery';
const newAddress = () => `${randomUUID()}@example.org`;

/** An app whose administration is open, so that accounts can be disabled as they are in production. */
const start = (backend?: Backend, settings: object = {}) =>
  startApp({ ...(backend && { backend }), settings: { enableAdminRouter: true, ...settings } });

/** The token of a link, whatever its form: a JWT holds dots. */
const tokenIn = ({ text }: { text: string }) => /[?&]token=(\S+)/.exec(text)![1]!;

const mailsTo = (app: App, address: string) => app.mails.filter(({ to }) => to === address);
const subjectsTo = (app: App, address: string) => mailsTo(app, address).map(({ subject }) => subject);
const logged = (app: App) =>
  JSON.stringify(app.logs, (_, value) => (value instanceof Error ? String(value.stack) : value));

async function admin(app: App): Promise<Member> {
  const member = await signUp(app);
  await app.gatehouse.repositories.users.change(member.id, { set: { isSuperuser: true } });
  return member;
}

async function setActive(app: App, { id }: Member, is_active: boolean): Promise<void> {
  const { token } = await admin(app);
  const { status } = await app.rest('PATCH', `/admin/users/${id}`, { is_active }, { token });
  expect(status).toBe(200);
}

const removePassword = (app: App, { id }: Member) =>
  app.gatehouse.repositories.users.change(id, { set: { hashedPassword: null } });

/** Asks for a reset and answers the token of the mail. */
async function forgot(app: App, email: string): Promise<string> {
  const sent = mailsTo(app, email).length;
  await app.rest('POST', '/forgot-password', { email });
  for (;;) {
    const mail = await app.nextMail(email);
    if (mailsTo(app, email).indexOf(mail) >= sent) return tokenIn(mail);
  }
}

/** The next mail to somebody whose subject fits. */
async function nextMail(app: App, to: string, subject: RegExp) {
  for (;;) {
    const mail = await app.nextMail(to);
    if (subject.test(mail.subject)) return mail;
  }
}

function listen<E extends keyof Events>(app: App, event: E): Events[E][] {
  const heard: Events[E][] = [];
  app.gatehouse.on(event, payload => heard.push(payload));
  return heard;
}

describeEachDriver('passwords', backend => {
  let app: App;
  beforeAll(async () => {
    app = await start(backend);
  });
  afterAll(() => app?.close());

  const me = async (token: string) => (await app.rest('GET', '/me', undefined, { token })).body;

  // The doors differ before the database, so the second one is opened on one backend only.
  const isFirst = backend.name === 'sqlite-memory';
  const testOnce = test.skipIf(!isFirst);
  describe.each(isFirst ? doors : doors.slice(0, 1))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });
    const isAlive = async (token: string) => (await call('me', undefined, { token })).ok;
    const signIn = (email: string, password: string) => call('login', { email, password });

    describe('changing the password', () => {
      const change = (member: Member, new_password = newPassword, current_password = member.password) =>
        call('changePassword', { current_password, new_password }, { token: member.token });

      test('ends every session of the user, this one included, and nobody else’s', async () => {
        const [member, bystander] = [await signUp(app), await signUp(app)];
        const other = await logIn(app, member);
        expect(await change(member)).toEqual({ ok: true, value: { message: expect.any(String) } });
        expect(await isAlive(member.token)).toBe(false);
        expect(await isAlive(other)).toBe(false);
        expect(await isAlive(bystander.token)).toBe(true);
      });

      test('lets the new password in at once, in the same tick of the clock, and the old one never again', async () => {
        const member = await signUp(app);
        await resultOf(change(member));
        const session = await resultOf(signIn(member.email, newPassword));
        expect(await isAlive(session.access_token)).toBe(true);
        expect(await signIn(member.email, member.password)).toMatchObject({ code: 'invalid_credentials' });
      });

      test('needs the current password; a wrong one changes nothing and ends nothing', async () => {
        const member = await signUp(app);
        expect(await change(member, newPassword, 'wrong horse battery')).toEqual({
          ok: false,
          code: 'wrong_password',
          status: 400,
        });
        expect(await isAlive(member.token)).toBe(true);
        expect(await signIn(member.email, newPassword)).toMatchObject({ code: 'invalid_credentials' });
        expect(await signIn(member.email, member.password)).toMatchObject({ ok: true });
        expect(subjectsTo(app, member.email).filter(s => /password/i.test(s))).toEqual([]);
      });

      test('refuses the password that is set already, in any Unicode form, and keeps the session', async () => {
        const member = await signUp(app);
        const [composed, decomposed] = ['pässwörd ①', 'pa\u0308sswo\u0308rd 1'];
        await resultOf(change(member, composed));
        const changed = {
          ...member,
          password: composed,
          token: await logIn(app, { ...member, password: composed }),
        };
        for (const same of [composed, decomposed]) {
          expect(await change(changed, same)).toMatchObject({ code: 'password_unchanged', status: 400 });
        }
        expect(await isAlive(changed.token)).toBe(true);
      });

      testOnce.each([
        ['7 characters', 'a'.repeat(7)],
        ['7 characters beyond the basic plane', '😀'.repeat(7)],
        ['129 characters', 'a'.repeat(129)],
        ['65 characters that normalisation makes 130', 'ﬁ'.repeat(65)],
        ['half of a surrogate pair', 'aaaaaaaa\ud83d'],
      ])('refuses a new password of %s', async (_, password) => {
        const member = await signUp(app);
        expect(await change(member, password)).toMatchObject({
          code: 'invalid_input',
          status: 422,
          errors: [{ path: 'new_password' }],
        });
        expect(await isAlive(member.token)).toBe(true);
      });

      testOnce.each([
        ['8 characters', 'a1b2c3d4'],
        ['128 characters beyond the basic plane', '😀'.repeat(128)],
        ['4 characters that normalisation makes 8', 'ﬁﬂﬁﬂ'],
        ['spaces at both ends, which stay', '  horse  '],
      ])('takes a new password of %s', async (_, password) => {
        const member = await signUp(app);
        expect(await change(member, password)).toMatchObject({ ok: true });
        expect(await signIn(member.email, password)).toMatchObject({ ok: true });
        if (password !== password.trim()) {
          expect(await signIn(member.email, password.trim())).toMatchObject({ code: 'invalid_credentials' });
        }
      });

      test('takes compatible forms of one character for the same, in the old password and the new', async () => {
        const member = await signUp(app);
        expect(await change(member, 'Ｐａｓｓｗｏｒｄ１', 'ｃorrect horse battery')).toMatchObject({
          ok: true,
        });
        expect(await signIn(member.email, 'Password1')).toMatchObject({ ok: true });
      });

      test('tells an account without a password so, and sets none', async () => {
        // Somebody at an open session of an external account tries to give it a password of his own.
        const member = await signUp(app);
        await removePassword(app, member);
        expect(await change(member)).toEqual({ ok: false, code: 'password_not_set', status: 400 });
        expect(await isAlive(member.token)).toBe(true);
        expect((await app.gatehouse.repositories.users.find(member.id))?.hashedPassword).toBeNull();
      });

      testOnce('needs a session', async () => {
        const input = { current_password: 'correct horse battery', new_password: newPassword };
        expect(await call('changePassword', input)).toMatchObject({ code: 'unauthenticated', status: 401 });
      });

      test('tells the owner by a mail that holds neither password', async () => {
        const member = await signUp(app);
        await resultOf(change(member));
        const mail = await nextMail(app, member.email, /password .* was changed/);
        expect(mail.text + mail.html).not.toMatch(/horse/);
      });

      test('fires password_changed with the user as GET /me answers it from then on', async () => {
        const heard = listen(app, 'password_changed');
        const member = await signUp(app);
        await resultOf(change(member));
        const [event] = heard;
        const stored = await app.gatehouse.repositories.users.find(member.id);
        expect(heard).toHaveLength(1);
        expect(event?.user).toMatchObject({
          id: member.id,
          tokens_invalidated_after: stored?.tokensInvalidatedAfter?.toISOString(),
        });
      });

      test('fires nothing and mails nothing when it is refused', async () => {
        const heard = listen(app, 'password_changed');
        const member = await signUp(app);
        await change(member, newPassword, 'wrong horse battery');
        await change(member, member.password);
        await change(member, 'short');
        expect(heard).toEqual([]);
      });
    });

    describe('resetting the password', () => {
      const reset = (token: string, new_password = newPassword) =>
        call('resetPassword', { token, new_password });

      test('sets the new password, ends every session, and lets the new one in at once', async () => {
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        expect(await isAlive(member.token)).toBe(true);
        expect(await reset(token)).toEqual({ ok: true, value: { message: expect.any(String) } });
        expect(await isAlive(member.token)).toBe(false);
        const session = await resultOf(signIn(member.email, newPassword));
        expect(await isAlive(session.access_token)).toBe(true);
        expect(await signIn(member.email, member.password)).toMatchObject({ code: 'invalid_credentials' });
      });

      test('works once for each link', async () => {
        // Somebody finds a used link in a mailbox or a history.
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        await resultOf(reset(token));
        expect(await reset(token, 'the password of a thief')).toEqual({
          ok: false,
          code: 'invalid_token',
          status: 400,
        });
        expect(await signIn(member.email, newPassword)).toMatchObject({ ok: true });
      });

      test('by one of two links kills the other', async () => {
        const { email } = await signUp(app);
        const [first, second] = [await forgot(app, email), await forgot(app, email)];
        await resultOf(reset(first));
        expect(await reset(second, 'the password of a thief')).toMatchObject({ code: 'invalid_token' });
        expect(await signIn(email, newPassword)).toMatchObject({ ok: true });
      });

      test('is not possible by a link of before, however many resets came between', async () => {
        const { email } = await signUp(app);
        const [first, second, third] = [
          await forgot(app, email),
          await forgot(app, email),
          await forgot(app, email),
        ];
        await resultOf(reset(third));
        const fourth = await forgot(app, email);
        await resultOf(reset(fourth, 'a fourth password'));
        for (const dead of [first, second, third, fourth]) {
          expect(await reset(dead)).toMatchObject({ code: 'invalid_token' });
        }
      });

      testOnce.each([
        ['a session token', 'session'],
        ['an address-change token', 'email_change'],
        ['a phone set-up token', 'phone_setup'],
        ['a token of the first login step', 'login_mfa'],
      ] as const)('refuses %s, even one that is good for its own purpose', async (_, purpose) => {
        // Whoever holds a token of one kind tries it where it is worth more.
        const member = await signUp(app);
        const tokens = new Tokens({ secret: jwtSecret, algorithm: 'HS256', clock: app.clock });
        const token = tokens.sign(purpose, {
          sub: member.id,
          issuedAt: app.clock.now(),
          ttlSeconds: 60,
        });
        expect(await reset(token)).toMatchObject({ code: 'invalid_token', status: 400 });
        expect(await signIn(member.email, member.password)).toMatchObject({ ok: true });
      });

      test('refuses a token of another server', async () => {
        const { id } = await signUp(app);
        const secret = 'another secret of more than 32 characters';
        const tokens = new Tokens({ secret, algorithm: 'HS256', clock: app.clock });
        const claims = { sub: id, issuedAt: app.clock.now(), ttlSeconds: 60 };
        expect(await reset(tokens.sign('password_reset', claims))).toMatchObject({
          code: 'invalid_token',
        });
      });

      test('refuses a link from the moment on that it expires', async () => {
        const [early, late] = [await signUp(app), await signUp(app)];
        const tokens = [await forgot(app, early.email), await forgot(app, late.email)] as const;
        app.clock.advance(1_799_999);
        expect(await reset(tokens[0])).toMatchObject({ ok: true });
        app.clock.advance(1);
        expect(await reset(tokens[1])).toMatchObject({ code: 'invalid_token' });
        expect(await signIn(late.email, late.password)).toMatchObject({ ok: true });
      });

      testOnce.each([
        ['7 characters', 'a'.repeat(7)],
        ['129 characters', 'a'.repeat(129)],
      ])('refuses a new password of %s and leaves the link good', async (_, password) => {
        const { email } = await signUp(app);
        const token = await forgot(app, email);
        expect(await reset(token, password)).toMatchObject({
          code: 'invalid_input',
          errors: [{ path: 'new_password' }],
        });
        expect(await reset(token)).toMatchObject({ ok: true });
      });

      test('gives an account without a password its first one', async () => {
        const member = await signUp(app);
        await removePassword(app, member);
        await resultOf(reset(await forgot(app, member.email)));
        expect(await signIn(member.email, newPassword)).toMatchObject({ ok: true });
      });

      test('clears the lockout of the address', async () => {
        const member = await signUp(app);
        for (let i = 0; i < 5; i++) await signIn(member.email, 'wrong horse battery');
        expect(await signIn(member.email, member.password)).toMatchObject({ code: 'account_locked' });
        await resultOf(reset(await forgot(app, member.email)));
        expect(await signIn(member.email, newPassword)).toMatchObject({ ok: true });
      });

      test('tells the owner by a mail and fires password_reset_completed with the user as it is then', async () => {
        const heard = listen(app, 'password_reset_completed');
        const verified = listen(app, 'user_verified');
        const member = await signUp(app);
        verified.length = 0;
        await resultOf(reset(await forgot(app, member.email)));
        const { text, html } = await nextMail(app, member.email, /password .* was reset/);
        expect(text + html).not.toContain(newPassword);
        const stored = await app.gatehouse.repositories.users.find(member.id);
        expect(heard).toHaveLength(1);
        expect(heard[0]?.user).toMatchObject({
          id: member.id,
          tokens_invalidated_after: stored?.tokensInvalidatedAfter?.toISOString(),
        });
        expect(verified).toEqual([]);
      });

      test('dies when the address changes', async () => {
        // Somebody with a former mailbox keeps a reset link until the account has moved on.
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        const new_email = newAddress();
        await resultOf(
          call('changeEmail', { current_password: member.password, new_email }, { token: member.token }),
        );
        await resultOf(call('confirmEmailChange', { token: tokenIn(await app.nextMail(new_email)) }));
        expect(await reset(token)).toMatchObject({ code: 'invalid_token' });
        expect(await signIn(new_email, member.password)).toMatchObject({ ok: true });
      });

      test('dies when the password changes', async () => {
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        const input = { current_password: member.password, new_password: newPassword };
        await resultOf(call('changePassword', input, { token: member.token }));
        expect(await reset(token, 'the password of a thief')).toMatchObject({ code: 'invalid_token' });
        expect(await signIn(member.email, newPassword)).toMatchObject({ ok: true });
      });

      test('dies when everything is signed out', async () => {
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        await resultOf(call('logout', { everywhere: true }, { token: member.token }));
        expect(await reset(token)).toMatchObject({ code: 'invalid_token' });
      });

      test('dies when the account is disabled, and stays dead when it is enabled again', async () => {
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        await setActive(app, member, false);
        expect(await reset(token)).toMatchObject({ code: 'invalid_token' });
        await setActive(app, member, true);
        expect(await reset(token)).toMatchObject({ code: 'invalid_token' });
        expect(await signIn(member.email, member.password)).toMatchObject({ ok: true });
      });

      test('dies when the account is deleted', async () => {
        const member = await signUp(app);
        const token = await forgot(app, member.email);
        await app.gatehouse.repositories.users.remove(member.id);
        expect(await reset(token)).toMatchObject({ code: 'invalid_token' });
      });
    });
  });

  test('of 40 parallel resets with one link exactly one succeeds, and its password is the one that is set', async () => {
    // Somebody who has read a mailbox races its owner, many times at once.
    const { email } = await signUp(app);
    const token = await forgot(app, email);
    const passwords = Array.from({ length: 40 }, (_, i) => `password number ${i}`);
    const replies = await Promise.all(
      passwords.map(new_password => app.rest('POST', '/reset-password', { token, new_password })),
    );
    const winners = passwords.filter((_, i) => replies[i]!.status === 200);
    expect(winners).toHaveLength(1);
    const losers = replies.filter(({ status }) => status !== 200);
    expect(new Set(losers.map(({ body }) => body.code))).toEqual(new Set(['invalid_token']));
    expect((await app.rest('POST', '/login', { email, password: winners[0] })).status).toBe(200);
  });

  test('of 20 parallel changes of the password exactly one succeeds', async () => {
    const { email, password: current_password, token } = await signUp(app);
    const passwords = Array.from({ length: 20 }, (_, i) => `password number ${i}`);
    const replies = await Promise.all(
      passwords.map(new_password =>
        app.rest('POST', '/change-password', { current_password, new_password }, { token }),
      ),
    );
    const winners = passwords.filter((_, i) => replies[i]!.status === 200);
    expect(winners).toHaveLength(1);
    for (const { status, body } of replies) {
      if (status !== 200) expect(body).toMatchObject({ code: 'unauthenticated', status: 401 });
    }
    expect((await app.rest('POST', '/login', { email, password: winners[0] })).status).toBe(200);
  });

  test('what the account was before its reset is not what a session sees after it', async () => {
    const member = await signUp(app);
    await app.rest('POST', '/reset-password', {
      token: await forgot(app, member.email),
      new_password: newPassword,
    });
    const user = await me(await logIn(app, { ...member, password: newPassword }));
    expect(user.tokens_invalidated_after).not.toBeNull();
    expect(user).toMatchObject({ id: member.id, email: member.email, is_verified: true });
  });

  describe('a reset that proves an address for the first time', () => {
    /** Somebody else's account at a stranger's address: unverified, with a provider identity, a phone and a code. */
    async function plant(email = newAddress()): Promise<Member> {
      const { users, oauth_identities, mfa_codes } = app.gatehouse.repositories;
      const now = app.clock.now();
      const user = newUser(now, { email, fullName: null, hashedPassword: null, isVerified: false });
      await users.add({ ...user, phoneNumber: '+15550100', isMfaEnabled: true });
      const identity = { provider: 'google', subjectId: randomUUID(), userId: user.id, email: null };
      await oauth_identities.add({ id: randomUUID(), ...identity, linkedAt: now, lastUsedAt: null });
      const expiresAt = new Date(now.getTime() + 300_000);
      const code = { phoneNumber: '+15550100', codeHash: 'hash', attempts: 0, createdAt: now, expiresAt };
      await mfa_codes.replace({ userId: user.id, kind: 'phone_setup', ...code });
      return { id: user.id, email, password: newPassword, token: '' };
    }
    const identitiesOf = ({ id }: Member) => app.gatehouse.repositories.oauth_identities.listByUser(id);
    const reset = (token: string) =>
      app.rest('POST', '/reset-password', { token, new_password: newPassword });

    test('removes the identities, the phone and the codes that were there before', async () => {
      // A stranger registers the victim's address, links a provider account and a phone of his own, and waits.
      const victim = await plant();
      const completed = listen(app, 'password_reset_completed');
      const verified = listen(app, 'user_verified');
      const token = await forgot(app, victim.email);
      expect((await reset(token)).status).toBe(200);
      expect(await identitiesOf(victim)).toEqual([]);
      expect(await app.gatehouse.repositories.mfa_codes.find(victim.id, 'phone_setup')).toBeNull();
      const user = await me(await logIn(app, victim));
      expect(user).toMatchObject({ is_verified: true, phone_number: null, is_mfa_enabled: false });
      for (const heard of [completed, verified]) {
        expect(heard).toHaveLength(1);
        expect(heard[0]?.user).toEqual({ ...user, last_login: null });
      }
    });

    test('also removes an identity that the stranger links while the reset is under way', async () => {
      // The stranger keeps linking in a loop, so that one link falls between the clean-up and the cutoff.
      const victim = await plant();
      const token = await forgot(app, victim.email);
      const { users, oauth_identities } = app.gatehouse.repositories;
      const change = users.change;
      const spy = vi.spyOn(users, 'change').mockImplementationOnce(async (...args) => {
        const identity = { provider: 'google', subjectId: randomUUID(), userId: victim.id, email: null };
        const now = app.clock.now();
        await oauth_identities.add({ id: randomUUID(), ...identity, linkedAt: now, lastUsedAt: null });
        return change(...args);
      });
      expect((await reset(token)).status).toBe(200);
      spy.mockRestore();
      expect(await identitiesOf(victim)).toEqual([]);
    });

    test('leaves an account that was verified before its identities and its phone', async () => {
      const owner = await plant();
      await app.gatehouse.repositories.users.change(owner.id, { set: { isVerified: true } });
      expect((await reset(await forgot(app, owner.email))).status).toBe(200);
      expect(await identitiesOf(owner)).toHaveLength(1);
      expect(await app.gatehouse.repositories.users.find(owner.id)).toMatchObject({
        phoneNumber: '+15550100',
        isMfaEnabled: true,
      });
    });

    test('kills the verification link that was on its way', async () => {
      const victim = await plant();
      await app.rest('POST', '/resend-verification', { email: victim.email });
      const link = tokenIn(await app.nextMail(victim.email));
      const token = await forgot(app, victim.email);
      expect((await reset(token)).status).toBe(200);
      expect((await app.rest('POST', '/verify', { token: link })).body.code).toBe('invalid_token');
    });
  });
});

describe.each(doors)('asking for a reset link through $name', door => {
  test('answers alike for every address, and mails only to active accounts', async () => {
    // An attacker asks for resets to learn which addresses have accounts.
    const app = await start();
    const call = door.at(app);
    const [verified, passwordless, disabled] = [await signUp(app), await signUp(app), await signUp(app)];
    await removePassword(app, passwordless);
    await setActive(app, disabled, false);
    const unverified = newAddress();
    const now = app.clock.now();
    const fields = { email: unverified, fullName: null, hashedPassword: null, isVerified: false };
    await app.gatehouse.repositories.users.add(newUser(now, fields));
    const pending = newAddress();
    await app.rest('POST', '/register', { email: pending, password: newPassword });
    await app.nextMail(pending);
    app.mails.length = 0;

    const unknown = newAddress();
    const active = [verified.email, passwordless.email, unverified];
    const answers = [];
    for (const email of [unknown, disabled.email, pending, ...active, ` ${verified.email.toUpperCase()} `]) {
      answers.push(await call('forgotPassword', { email }));
    }
    await app.close();

    expect(answers[0]).toEqual({ ok: true, value: { message: expect.any(String) } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const recipients = app.mails.map(({ to }) => to).sort();
    expect(recipients).toEqual([...active, verified.email].sort());
  });

  test('stores nothing about an address that has no account', async () => {
    const app = await start();
    const email = newAddress();
    await door.at(app)('forgotPassword', { email });
    const sentinel = await signUp(app);
    await forgot(app, sentinel.email);
    expect(await app.gatehouse.repositories.attempts.list(`mail:reset:${email}`)).toEqual([]);
    await app.close();
  });
});

describe('a reset mail', () => {
  let app: App;
  beforeAll(async () => {
    app = await start();
  });
  afterAll(() => app?.close());

  test('links to the configured address, whatever the request says about its host', async () => {
    // An attacker asks for the victim's reset with his own host in a header, so that the link leads to him.
    const { email } = await signUp(app);
    const evil = 'evil.example';
    const headers = { 'X-Forwarded-Host': evil, Forwarded: `host=${evil}`, 'X-Forwarded-Proto': 'https' };
    await app.rest('POST', '/forgot-password', { email }, { headers });
    const { text, html } = await app.nextMail(email);
    expect(text).toMatch(/^http:\/\/localhost:8000\/account\/reset-password\?token=\S+$/m);
    expect(text + html).not.toContain(evil);
  });

  test('fires password_reset_requested with a link for logs that holds no token', async () => {
    const heard = listen(app, 'password_reset_requested');
    const { id, email } = await signUp(app);
    const token = await forgot(app, email);
    expect(heard).toEqual([
      {
        user: expect.objectContaining({ id }),
        url: `http://localhost:8000/account/reset-password?token=${token}`,
        url_without_token: expect.stringMatching(/^http:\/\/localhost:8000\/account\/reset-password/),
      },
    ]);
    expect(heard[0]!.url_without_token).not.toContain(token);
  });

  test('leaves neither token nor password nor address in the log', async () => {
    const member = await signUp(app);
    const token = await forgot(app, member.email);
    await app.rest('POST', '/reset-password', { token, new_password: newPassword });
    await app.rest('POST', '/reset-password', { token, new_password: newPassword });
    for (const secret of [token, newPassword, member.email, member.password, member.token]) {
      expect(logged(app)).not.toContain(secret);
    }
  });
});

test('the answer to an account without a password points to the reset', async () => {
  const app = await start();
  const member = await signUp(app);
  await removePassword(app, member);
  const body = { current_password: member.password, new_password: newPassword };
  const reply = await app.rest('POST', '/change-password', body, { token: member.token });
  expect(reply.body).toMatchObject({ code: 'password_not_set', detail: expect.stringMatching(/reset/i) });
  await app.close();
});
