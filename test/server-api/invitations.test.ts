import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { isAlive, newAddress, nextToken } from '../support/people.ts';
import { signer } from '../support/signer.ts';

const password = 'chosen by the person';
const invalid = { ok: false, code: 'invalid_token', status: 400 };
const weekMs = 604_800_000;

describeEachDriver('an invitation', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend });
  });
  afterAll(() => app?.close());

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });
    const accept = (token: string, chosen = password) =>
      call('acceptInvitation', { token, password: chosen });
    const signIn = (email: string, given = password) => call('login', { email, password: given });

    /** Somebody who is invited, and the token of the email. */
    async function invited(fields: { isVerified?: boolean; fullName?: string } = {}) {
      const user = await app.gatehouse.users.create({ email: newAddress(), invite: true, ...fields });
      return { ...user, token: tokenOf(await app.nextMail(user.email)) };
    }

    // Shows asvs/6.4.1, 63b/3.1.1.1#chosen-by-owner.
    test('lets the person choose a password, once, and verifies the address', async () => {
      const { id, email, token } = await invited();
      expect(await signIn(email)).toMatchObject({ code: 'invalid_credentials' });
      const accepted = await resultOf(accept(token));
      expect(accepted).toMatchObject({ id, email, is_verified: true, is_active: true });
      const { access_token } = await resultOf(signIn(email));
      expect(await resultOf(call('me', undefined, { token: access_token }))).toMatchObject({ id });
      // Somebody finds the used link in a mailbox or a history.
      expect(await accept(token, 'the password of a thief')).toEqual(invalid);
      expect(await isAlive(app, access_token)).toBe(true);
    });

    // Shows asvs/6.4.1.
    test('works for seven days', async () => {
      const [early, late] = [await invited(), await invited()];
      app.clock.advance(weekMs - 1);
      expect(await accept(early.token)).toMatchObject({ ok: true });
      app.clock.advance(1);
      expect(await accept(late.token)).toEqual(invalid);
      // Another one does.
      await app.gatehouse.users.invite(late.id);
      expect(await accept(await nextToken(app, late.email))).toMatchObject({ ok: true });
    });

    test('is sent again: each link works until one was used', async () => {
      const { id, email, token: first } = await invited();
      await app.gatehouse.users.invite(id);
      await app.gatehouse.users.invite(id);
      const [second, third] = [await nextToken(app, email), await nextToken(app, email)];
      await resultOf(accept(second));
      for (const dead of [first, second, third]) expect(await accept(dead)).toEqual(invalid);
    });

    test('needs a password that is good enough, and keeps the link good until there is one', async () => {
      const { token } = await invited();
      for (const bad of ['short', 'x'.repeat(129)]) {
        expect(await accept(token, bad)).toMatchObject({
          ...{ ok: false, code: 'invalid_input', status: 422 },
          errors: [{ path: 'password' }],
        });
      }
      expect(await accept(token)).toMatchObject({ ok: true });
    });

    test.each(['session', 'password_reset', 'email_change', 'phone_setup', 'login_mfa'] as const)(
      'is a purpose of its own: a token for %s is none, and it is good for nothing else',
      async purpose => {
        const { id, token } = await invited();
        const issuedAt = app.clock.now();
        const new_email = newAddress();
        const extra = purpose === 'email_change' ? { new_email } : {};
        expect(await accept(signer(app.clock).sign(purpose, { sub: id, issuedAt, ...extra }))).toEqual(
          invalid,
        );
        expect(await call('me', undefined, { token })).toMatchObject({ code: 'unauthenticated' });
        expect(await call('resetPassword', { token, new_password: password })).toEqual(invalid);
        expect(await call('verify', { token })).toEqual(invalid);
        expect(await call('confirmEmailChange', { token })).toEqual(invalid);
        expect(await accept(token)).toMatchObject({ ok: true });
      },
    );

    test('is void once the account was disabled, also when it is enabled again', async () => {
      const { id, email, token } = await invited();
      await app.gatehouse.users.disable(id);
      expect(await accept(token)).toEqual(invalid);
      await expect(app.gatehouse.users.invite(id)).rejects.toMatchObject({ code: 'account_disabled' });
      await app.gatehouse.users.enable(id);
      expect(await accept(token)).toEqual(invalid);
      await app.gatehouse.users.invite(id);
      expect(await accept(await nextToken(app, email))).toMatchObject({ ok: true });
    });

    test('is void once the account was removed, also for a new account of the address', async () => {
      const { id, email, token } = await invited();
      await app.gatehouse.users.remove(id);
      expect(await accept(token)).toEqual(invalid);
      await app.gatehouse.users.create({ email });
      expect(await accept(token)).toEqual(invalid);
    });

    test('is void once the person has set a password by a reset', async () => {
      const { email, token } = await invited();
      await resultOf(call('forgotPassword', { email }));
      const reset = await nextToken(app, email);
      await resultOf(call('resetPassword', { token: reset, new_password: password }));
      expect(await accept(token, 'the password of a thief')).toEqual(invalid);
      expect(await signIn(email)).toMatchObject({ ok: true });
    });

    test('is void once every session was ended', async () => {
      const { id, token } = await invited();
      await app.gatehouse.users.endSessions(id);
      expect(await accept(token)).toEqual(invalid);
    });

    test('ends every session, and removes what somebody left in an unverified account', async () => {
      // A stranger registered the address where no verification was required.
      const stranger = await signUp(app);
      const { repositories, users } = app.gatehouse;
      await repositories.users.change(stranger.id, {
        set: { isVerified: false, phoneNumber: '+15550100', isMfaEnabled: true },
      });
      const linkedAt = app.clock.now();
      const identity = { provider: 'google', issuer: '', subjectId: stranger.id, userId: stranger.id };
      await repositories.oauth_identities.add({
        ...{ ...identity, id: stranger.id, email: null, linkedAt, lastUsedAt: null },
      });
      await users.invite(stranger.id);
      const accepted = await resultOf(accept(await nextToken(app, stranger.email)));
      expect(accepted).toMatchObject({ is_verified: true, phone_number: null, is_mfa_enabled: false });
      expect(await repositories.oauth_identities.listByUser(stranger.id)).toEqual([]);
      expect(await isAlive(app, stranger.token)).toBe(false);
      expect(await signIn(stranger.email, stranger.password)).toMatchObject({ code: 'invalid_credentials' });
      expect(await signIn(stranger.email)).toMatchObject({ ok: true });
      // To somebody who uses the account it is a reset, of which they hear.
      expect((await app.nextMail(stranger.email)).subject).toMatch(/was reset/);
    });

    test('leaves to a verified account what it has', async () => {
      const { id, email, token } = await invited({ isVerified: true });
      const { repositories } = app.gatehouse;
      const linkedAt = app.clock.now();
      await repositories.oauth_identities.add({
        ...{ id, userId: id, provider: 'google', issuer: '', subjectId: id, email: null },
        ...{ linkedAt, lastUsedAt: null },
      });
      await resultOf(accept(token));
      expect(await repositories.oauth_identities.listByUser(id)).toHaveLength(1);
      expect(app.mails.filter(({ to }) => to === email)).toHaveLength(1);
    });

    test('is for an account that still lacks something', async () => {
      const { id, token } = await invited();
      await resultOf(accept(token));
      await expect(app.gatehouse.users.invite(id)).rejects.toMatchObject({ code: 'already_verified' });
    });

    test('fires its events, and not more', async () => {
      const heard: [string, unknown][] = [];
      const names = [
        ...(['user_registered', 'user_invited', 'invitation_accepted', 'user_verified'] as const),
        ...(['user_updated', 'password_changed', 'password_reset_completed', 'user_logged_in'] as const),
      ];
      const stops = names.map(name => app.gatehouse.on(name, event => void heard.push([name, event])));
      const { id, token } = await invited({ fullName: 'Ada Lovelace' });
      await resultOf(accept(token));
      for (const stop of stops) stop();
      const user = expect.objectContaining({ id, isVerified: false });
      const verified = expect.objectContaining({ id, isVerified: true });
      const page = 'http://localhost:8000/account/accept-invitation';
      expect(heard).toEqual([
        ['user_registered', { user, by: 'host' }],
        ['user_invited', { user, url: `${page}?token=${token}`, urlWithoutToken: page }],
        ['invitation_accepted', { user: verified }],
        ['user_verified', { user: verified }],
      ]);
    });
  });

  test('names no person, and its token is in no log and in no table', async () => {
    const fullName = 'Ada Lovelace';
    const user = await app.gatehouse.users.create({ email: newAddress(), fullName, invite: true });
    const mail = await app.nextMail(user.email);
    const token = tokenOf(mail);
    await app.rest('POST', '/accept-invitation', { token, password });
    for (const part of [mail.subject, mail.text, mail.html]) expect(part).not.toMatch(/Ada|Lovelace/);
    expect(mail.subject).toBe('Your account at Gatehouse');
    expect(mail.text).toContain('7 days');
    expect(JSON.stringify(app.logs)).not.toContain(token);
    expect(JSON.stringify(app.logs)).not.toContain(user.email);
    const stored = await app.gatehouse.repositories.users.find(user.id);
    expect(JSON.stringify(stored)).not.toContain(token.split('.')[2]);
  });

  test('and a password do not go together', async () => {
    const email = newAddress();
    await expect(app.gatehouse.users.create({ email, password, invite: true })).rejects.toMatchObject({
      code: 'invalid_input',
      errors: [{ path: 'invite' }],
    });
    expect(await app.gatehouse.users.findByEmail(email)).toBeNull();
    expect(await app.gatehouse.users.create({ email, password, invite: false })).toMatchObject({ email });
  });

  test('does not go to an address without a mailbox', async () => {
    const { users } = app.gatehouse.repositories;
    const { id } = await app.gatehouse.users.create({ email: newAddress() });
    await users.changeEmail(id, `google-${id}@oauth.invalid`);
    await expect(app.gatehouse.users.invite(id)).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

test('the link leads to the page of the application, where it has one', async () => {
  const urls = { acceptInvitation: 'https://app.example/#/welcome/{token}' };
  const app = await startApp({ settings: { urls, appName: 'Acme' } });
  await app.gatehouse.users.create({ email: 'ada@example.org', invite: true });
  const { text } = await app.nextMail('ada@example.org');
  expect(text).toMatch(/^https:\/\/app\.example\/#\/welcome\/[\w.-]+$/m);
  await app.close();
});

test('an operator invites, too', async () => {
  const app = await startApp();
  const { operator } = app.gatehouse as Assembled;
  const { id, email } = await app.gatehouse.users.create({ email: 'ada@example.org' });
  expect(await operator.invite({ email })).toMatchObject({ id });
  const token = tokenOf(await app.nextMail(email));
  expect((await app.rest('POST', '/accept-invitation', { token, password })).status).toBe(200);
  await logIn(app, { email, password });
  await expect(operator.invite({ id })).rejects.toMatchObject({ code: 'already_verified' });
  await app.close();
});
