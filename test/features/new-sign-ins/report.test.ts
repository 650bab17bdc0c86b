import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Assembled } from '../../../src/gatehouse.ts';
import { type App, logIn, type Member, newPassword, signUp, tokenOf } from '../../support/app.ts';
import { describeEachDriver } from '../../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../../support/doors.ts';
import { type External, startExternal } from '../../support/external.ts';
import { disowning, enterWith, nextNotMe, safari, signsIn, signUpBefore } from '../../support/not-me.ts';
import { isAlive, newAddress, newSubject, nextToken } from '../../support/people.ts';
import { answerOf, passkeyProof, setUpPasskey, setUpTotp } from '../../support/strong.ts';

// Two attackers must both fail: the intruder who has planted something, and somebody who reads the owner's mailbox.

const invalid = { ok: false, code: 'invalid_token', status: 400 };

const settings = {
  ...disowning,
  limitsDisabled: true,
  oauth: { existingEmailPolicy: 'auto_link_verified' },
};

describeEachDriver('a link "this was not me"', backend => {
  let site: External;
  let app: App;
  let superuser: { token: string };
  beforeAll(async () => {
    site = await startExternal({ backend, settings });
    ({ app } = site);
  });
  afterAll(() => site?.close());
  beforeEach(async () => {
    const member = await signUp(app);
    await app.gatehouse.users.update(member.id, { isSuperuser: true });
    superuser = { token: await logIn(app, member) };
  });

  const userOf = async ({ id }: Pick<Member, 'id'>) => (await app.gatehouse.repositories.users.find(id))!;
  const ok = async (answer: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answer;
    expect({ status, body }).toMatchObject({ status: expect.toSatisfy(code => code < 400) });
    // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
    return body as any;
  };

  /** Chooses a password by email, as somebody who reads the mailbox can. */
  async function reset({ email }: Pick<Member, 'email'>): Promise<void> {
    await app.rest('POST', '/forgot-password', { email });
    for (;;) {
      const mail = await app.nextMail(email);
      if (!mail.text.includes('/reset-password?token=')) continue;
      const input = { token: tokenOf(mail), new_password: newPassword };
      return ok(app.rest('POST', '/reset-password', input));
    }
  }

  /** An intruder who knows the password signs in. Returns the member as the intruder has it, and the owner's link. */
  async function intrude(owner: Member) {
    const token = await enterWith(app, safari, owner);
    return { intruder: { ...owner, token }, link: await nextNotMe(app, owner.email, /^A new sign-in/) };
  }

  const byPasskey = async (device: Parameters<typeof passkeyProof>[1]) =>
    app.rest('POST', '/login/passkey', await passkeyProof(app, device));
  const refusedPasskey = { status: 400, body: { code: 'passkey_invalid' } };
  const refusalOf = async (subject: string) => (await site.signIn(subject)).searchParams.get('error');

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });
    const report = (token: string) => call('reportNotMe', { token });

    // Shows 63b/3.1.1.2#compromise.
    test('closes the account until its owner has reset the password, once', async () => {
      const owner = await signUpBefore(app);
      const { intruder, link } = await intrude(owner);
      const heard: unknown[] = [];
      const off = app.gatehouse.on('not_me_reported', ({ user, about }) => void heard.push([user.id, about]));
      expect(await resultOf(report(link))).toEqual({
        message: expect.stringContaining('The account is closed'),
        password_needed: true,
      });
      off();
      expect(heard).toEqual([[owner.id, 'sign_in']]);
      expect(await isAlive(app, intruder.token)).toBe(false);
      expect(await isAlive(app, owner.token)).toBe(false);
      const login = await app.rest('POST', '/login', { email: owner.email, password: owner.password });
      expect(login).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
      expect((await app.nextMail(owner.email)).subject).toMatch(/was secured$/);
      expect(await report(link)).toEqual(invalid);
      await reset(owner);
      expect(await report(link)).toEqual(invalid);
      expect(await signsIn(app, { ...owner, password: newPassword })).toBe(true);
      expect(await userOf(owner)).toMatchObject({ reportedAt: null, distrustedSince: null });
    });

    test('a passkey and an identity that were planted before it are refused until the owner keeps them', async () => {
      const owner = await signUpBefore(app);
      const { intruder, link } = await intrude(owner);
      const planted = await setUpPasskey(app, intruder);
      const subject = newSubject();
      await site.link(intruder, subject);
      await resultOf(report(link));
      expect(await byPasskey(planted.device)).toMatchObject(refusedPasskey);
      expect(await refusalOf(subject)).toBe('user_inactive');
      await reset(owner);
      expect(await byPasskey(planted.device)).toMatchObject(refusedPasskey);
      expect(await refusalOf(subject)).toBe('user_inactive');

      const session = { token: await logIn(app, { ...owner, password: newPassword }) };
      const { items } = await resultOf(call('authenticators', undefined, session));
      expect(items).toMatchObject([{ id: planted.id, is_distrusted: true }]);
      const { linked } = await resultOf(call('oauthProviders', undefined, session));
      expect(linked).toMatchObject([{ provider: 'google', is_distrusted: true }]);
      const again = await app.rest(
        'POST',
        '/reauthenticate',
        await passkeyProof(app, planted.device),
        session,
      );
      expect(again).toMatchObject(refusedPasskey);

      expect(await resultOf(call('keepAddedSince', undefined, session))).toEqual({
        message: expect.stringContaining('trusted again'),
      });
      expect((await byPasskey(planted.device)).status).toBe(200);
      expect(await site.sessionOf(subject)).not.toBeNull();
      const kept = await resultOf(call('authenticators', undefined, session));
      expect(kept.items[0]).not.toHaveProperty('is_distrusted');
    });

    test('a factor from before the reported act signs in after the reset as ever', async () => {
      const owner = await signUpBefore(app);
      const own = await setUpPasskey(app, owner);
      app.clock.advance(3_600_000);
      const { link } = await intrude(owner);
      await resultOf(report(link));
      expect(await byPasskey(own.device)).toMatchObject(refusedPasskey);
      await reset(owner);
      expect((await byPasskey(own.device)).status).toBe(200);
      expect(await userOf(owner)).toMatchObject({ distrustedSince: null });
    });

    test('the distrust ends when nothing distrusted is left', async () => {
      const owner = await signUpBefore(app);
      const { intruder, link } = await intrude(owner);
      const { id } = await setUpPasskey(app, intruder);
      await resultOf(report(link));
      await reset(owner);
      const session = { token: await logIn(app, { ...owner, password: newPassword }) };
      await resultOf(call('removeAuthenticator', { id }, session));
      expect(await userOf(owner)).toMatchObject({ distrustedSince: null });
      const own = await setUpPasskey(app, session);
      expect((await byPasskey(own.device)).status).toBe(200);
    });

    test('the reader of a mailbox takes no second factor away, and a distrusted passkey stays a second step', async () => {
      const owner = await signUpBefore(app);
      const authenticatorApp = await setUpTotp(app, owner);
      const link = await nextNotMe(app, owner.email, /authenticator app was added/);
      const passkey = await setUpPasskey(app, { token: authenticatorApp.token });
      await resultOf(report(link));
      await reset(owner);
      const login = await ok(app.rest('POST', '/login', { email: owner.email, password: newPassword }));
      expect(login).toMatchObject({ status: 'mfa_required', methods: ['passkey', 'totp', 'recovery_code'] });
      expect(await byPasskey(passkey.device)).toMatchObject(refusedPasskey);
      const { mfa_pending_token } = login;
      const start = await ok(app.rest('POST', '/login/mfa-passkey/start', { mfa_pending_token }));
      const proof = { mfa_pending_token, ...answerOf(passkey.device, start) };
      expect((await app.rest('POST', '/login/mfa-confirm', proof)).status).toBe(200);
    });

    test('an intruder who moved the address gets no reset link until administration has decided', async () => {
      const owner = await signUpBefore(app);
      const { intruder } = await intrude(owner);
      const elsewhere = newAddress();
      const change = { current_password: owner.password, new_email: elsewhere };
      await ok(app.rest('POST', '/change-email', change, intruder));
      await ok(app.rest('POST', '/confirm-email-change', { token: await nextToken(app, elsewhere) }));
      const link = await nextNotMe(app, owner.email, /address .* was changed|was changed/i);
      expect(await resultOf(report(link))).toEqual({
        message: expect.stringContaining('help@example.org'),
        password_needed: false,
      });
      const { body } = await app.rest('POST', '/forgot-password', { email: elsewhere });
      expect(body.message).toMatch(/^If this address has an account/);
      const refused = { ok: false, code: 'account_reported', status: 409 };
      expect(await call('adminSendReset', { id: owner.id }, superuser)).toEqual(refused);
      expect(await call('adminRequireNewPassword', { id: owner.id }, superuser)).toEqual(refused);
      const back = { id: owner.id, email: owner.email, is_verified: true };
      await resultOf(call('adminChangeEmail', back, superuser));
      expect(await signsIn(app, owner)).toBe(false);
      await reset(owner);
      expect(await signsIn(app, { ...owner, password: newPassword })).toBe(true);
      const reached = app.mails.filter(({ to, text }) => to === elsewhere && /reset-password/.test(text));
      expect(reached).toEqual([]);
    });

    test('administration sees that an account is reported, finds it, and unlocks it with its password', async () => {
      const owner = await signUpBefore(app);
      const { intruder, link } = await intrude(owner);
      const planted = await setUpPasskey(app, intruder);
      expect(await resultOf(call('user', { id: owner.id }, superuser))).toMatchObject({ reported_at: null });
      await resultOf(report(link));
      const at = expect.stringMatching(/^\d{4}-.*Z$/);
      expect(await resultOf(call('user', { id: owner.id }, superuser))).toMatchObject({ reported_at: at });
      await resultOf(call('adminUnlock', { id: owner.id }, superuser));
      expect(await resultOf(call('user', { id: owner.id }, superuser))).toMatchObject({ reported_at: null });
      expect(await signsIn(app, owner)).toBe(true);
      // Administration cannot know who added it.
      expect(await byPasskey(planted.device)).toMatchObject(refusedPasskey);
    });

    test('is good for seven days, and for an account that is neither disabled nor deleted nor taken over', async () => {
      const linkOf = async () => {
        const owner = await signUpBefore(app);
        return { owner, ...(await intrude(owner)) };
      };
      const old = await linkOf();
      app.clock.advance(7 * 86_400_000 - 1000);
      const late = await linkOf();
      app.clock.advance(1000);
      expect(await report(old.link)).toEqual(invalid);
      const { users } = app.gatehouse.repositories;
      await users.change(late.owner.id, { set: { isActive: false } });
      expect(await report(late.link)).toEqual(invalid);
      await users.change(late.owner.id, { set: { isActive: true } });
      const { operator } = app.gatehouse as Assembled;
      await operator.takeOver({ email: late.owner.email });
      expect(await report(late.link)).toEqual(invalid);
      const gone = await linkOf();
      await app.gatehouse.users.remove(gone.owner.id);
      expect(await report(gone.link)).toEqual(invalid);
      const { not_me_links, sign_in_places } = app.gatehouse.repositories;
      expect(await not_me_links.listByUser(gone.owner.id)).toEqual([]);
      expect(await sign_in_places.removeAll(gone.owner.id)).toBe(0);
    });

    test('makes the place of the intruder new again', async () => {
      const owner = await signUpBefore(app);
      const { link } = await intrude(owner);
      await resultOf(report(link));
      await reset(owner);
      await enterWith(app, safari, { ...owner, password: newPassword });
      await nextNotMe(app, owner.email, /^A new sign-in/);
    });

    test('of an account without a password closes it, and a reset gives it one', async () => {
      const subject = newSubject();
      const email = newAddress();
      const { body } = await site.exchange(await site.signIn({ sub: subject, email, email_verified: true }));
      const { id } = await site.me(body.access_token);
      app.clock.advance(86_400_000);
      await app.gatehouse.sessions.issue(id, { method: 'host', userAgent: safari, mfa: true });
      const link = await nextNotMe(app, email, /^A new sign-in/);
      expect(await resultOf(report(link))).toMatchObject({ password_needed: true });
      expect(await refusalOf(subject)).toBe('user_inactive');
      await expect(app.gatehouse.sessions.issue(id, { method: 'host' })).rejects.toMatchObject({
        code: 'unauthenticated',
      });
      await reset({ email });
      expect(await site.sessionOf(subject)).not.toBeNull();
    });

    test('takes what the former version asked for, and ignores it', async () => {
      const owner = await signUpBefore(app);
      const { link } = await intrude(owner);
      const former = { token: link, password: 'not the password', new_password: 'x' };
      expect(await resultOf(call('reportNotMe', former))).toMatchObject({ password_needed: true });
    });

    test('keeping what was added takes a recent sign-in', async () => {
      const owner = await signUpBefore(app);
      app.clock.advance(3_600_000);
      expect(await call('keepAddedSince', undefined, owner)).toMatchObject({
        ...{ code: 'recent_sign_in_required', status: 401 },
      });
    });
  });

  test('the lists of administration are filtered by it', async () => {
    const owner = await signUpBefore(app);
    const { link } = await intrude(owner);
    await ok(app.rest('POST', '/not-me', { token: link }));
    const ids = async (query: string) => {
      const page = await ok(app.rest('GET', `/admin/users?${query}`, undefined, superuser));
      return page.items.map(({ id }: { id: string }) => id);
    };
    expect(await ids('is_reported=true&limit=200')).toContain(owner.id);
    expect(await ids(`is_reported=false&search=${encodeURIComponent(owner.email)}`)).toEqual([]);
    const { body } = await app.graphql(
      'query ($search: String) { users(search: $search, isReported: true) { totalCount nodes { id reportedAt } } }',
      { search: owner.email },
      superuser,
    );
    const reportedAt = expect.any(String);
    expect(body.data.users).toEqual({ totalCount: 1, nodes: [{ id: owner.id, reportedAt }] });
    // No other address gets an email.
    const found = await app.gatehouse.users.find(owner.id);
    expect(found).not.toHaveProperty('reported_at');
  });

  test('an identity of the account its address is not linked by itself while something is distrusted', async () => {
    const owner = await signUpBefore(app);
    const { intruder, link } = await intrude(owner);
    await setUpPasskey(app, intruder);
    await ok(app.rest('POST', '/not-me', { token: link }));
    const person = { sub: newSubject(), email: owner.email, email_verified: true };
    const ended = async () => (await site.signIn(person)).searchParams.get('error');
    expect(await ended()).toBe('user_inactive');
    await reset(owner);
    expect(await ended()).toBe('user_inactive');
    expect(await site.identitiesOf(owner)).toEqual([]);
  });
});
