import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, type Member, signUp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doors, resultOf } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { disowning, enterWith, firefox, nextNotMe, safari, signsIn } from '../support/not-me.ts';
import { isAlive, newAddress, newSubject, nextToken } from '../support/people.ts';
import { answerOf, nextCodeOf, setUpPasskey, setUpPhone, setUpTotp } from '../support/strong.ts';

// Two attackers must both fail: the intruder who has planted something, and somebody who reads the owner's mailbox.

const newPassword = 'another horse battery';
const chosenByThief = 'what the thief has chosen';
const invalid = { ok: false, code: 'invalid_token', status: 400 };

describeEachDriver('a link "this was not me"', backend => {
  let site: External;
  let app: App;
  beforeAll(async () => {
    site = await startExternal({ backend, settings: disowning });
    ({ app } = site);
  });
  afterAll(() => site?.close());

  const userOf = async ({ id }: Pick<Member, 'id'>) => (await app.gatehouse.repositories.users.find(id))!;
  const factorsOf = async ({ id }: Pick<Member, 'id'>) =>
    (await app.gatehouse.repositories.authenticators.listByUser(id)).map(row => row.id);
  const ok = async (answer: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answer;
    expect({ status, body }).toMatchObject({ status: expect.toSatisfy(code => code < 400) });
    // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
    return body as any;
  };

  const credentials = ({ email, password }: Member) => ({ email, password });
  const sessionOf = async (id: string): Promise<string> => {
    const answer = await app.gatehouse.sessions.issue(id, { method: 'host', mfa: true });
    return (answer as { access_token: string }).access_token;
  };

  /** Chooses a password by email, as whoever reads the mailbox can. */
  async function reset(email: string, new_password: string): Promise<void> {
    await app.rest('POST', '/forgot-password', { email });
    for (;;) {
      const mail = await app.nextMail(email);
      if (!mail.text.includes('/reset-password?token=')) continue;
      await ok(app.rest('POST', '/reset-password', { token: tokenOf(mail), new_password }));
      return;
    }
  }

  /** Moves an account to another address. */
  async function moveTo(email: string, { token, password }: Member): Promise<void> {
    await ok(app.rest('POST', '/change-email', { current_password: password, new_email: email }, { token }));
    await ok(app.rest('POST', '/confirm-email-change', { token: await nextToken(app, email) }));
  }

  /** Signs in by an identity; returns the session token, or null when that is not possible. */
  const sessionBy = (subject: string) => site.sessionOf(subject);

  /** An intruder who knows the password signs in. Returns the member as the intruder has it, and the owner's link. */
  async function intrude(owner: Member) {
    const token = await enterWith(app, safari, owner);
    const link = await nextNotMe(app, owner.email, /^A new sign-in/);
    return { intruder: { ...owner, token }, link };
  }

  describe.each(doors)('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });
    const report = (token: string) => call('reportNotMe', { token });
    const putBack = (token: string, password: string, new_password?: string) =>
      call('reportNotMe', { token, password, ...(new_password !== undefined && { new_password }) });

    test('alone ends every session and stops the password until it is reset, once', async () => {
      const owner = await signUp(app);
      const { intruder, link } = await intrude(owner);
      const heard: unknown[] = [];
      const off = app.gatehouse.on('not_me_reported', event => void heard.push(event.user.id));
      expect(await resultOf(report(link))).toEqual({
        message: expect.stringContaining('Every session has ended'),
        password_needed: true,
      });
      off();
      expect(heard).toEqual([owner.id]);
      expect(await isAlive(app, intruder.token)).toBe(false);
      expect(await isAlive(app, owner.token)).toBe(false);
      const login = await app.rest('POST', '/login', { email: owner.email, password: owner.password });
      expect(login).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
      expect((await app.nextMail(owner.email)).subject).toMatch(/was secured$/);
      await reset(owner.email, newPassword);
      expect(await signsIn(app, { ...owner, password: newPassword })).toBe(true);
      expect(await report(link)).toEqual(invalid);
      expect(await signsIn(app, { ...owner, password: newPassword })).toBe(true);
    });

    test('with the former password takes everything from an intruder who planted everything', async () => {
      const owner = await signUp(app);
      const own = await setUpTotp(app, owner);
      const phone = await setUpPhone(app, { ...owner, token: own.token });
      const before = await factorsOf(owner);
      // The thief has the password and, this once, the second step.
      const { body } = await app.rest('POST', '/login', credentials(owner), {
        headers: { 'User-Agent': safari },
      });
      const code = nextCodeOf(app, own.secret);
      const { access_token: token } = await ok(
        app.rest(
          'POST',
          '/login/mfa-confirm',
          { mfa_pending_token: body.mfa_pending_token, method: 'totp', code },
          { headers: { 'User-Agent': safari } },
        ),
      );
      const link = await nextNotMe(app, owner.email, /^A new sign-in/);
      const thief = { ...owner, token };
      const { device } = await setUpPasskey(app, thief);
      await setUpTotp(app, thief);
      const subject = newSubject();
      expect((await site.link(thief, subject)).searchParams.get('linked')).toBe('google');
      await ok(app.rest('POST', '/recovery-codes', {}, { token }));
      await setUpPhone(app, thief);
      const elsewhere = newAddress();
      await moveTo(elsewhere, thief);
      expect(await userOf(owner)).toMatchObject({ email: elsewhere });

      const heard: string[][] = [];
      const off = app.gatehouse.on('account_restored', event => void heard.push(event.restored));
      expect(await resultOf(putBack(link, owner.password, newPassword))).toEqual({
        message: expect.stringContaining('The new password is set'),
        password_needed: false,
      });
      off();
      expect(heard).toEqual([
        ['authenticators:2', 'oauth_identities:1', 'recovery_codes', 'phone_number', 'email'],
      ]);
      expect(await userOf(owner)).toMatchObject({
        ...{ email: owner.email, phoneNumber: phone, isMfaEnabled: true, isVerified: true, isActive: true },
      });
      expect(await factorsOf(owner)).toEqual(before);
      expect(await site.identitiesOf(owner)).toEqual([]);
      expect(await app.gatehouse.repositories.recovery_codes.find(owner.id)).toBeNull();
      expect(await signsIn(app, owner)).toBe(false);
      const session = await sessionBy(subject);
      if (session !== null) expect((await site.me(session))?.id).not.toBe(owner.id);
      const start = await ok(app.rest('POST', '/login/passkey/start', {}));
      expect(await app.rest('POST', '/login/passkey', answerOf(device, start))).toMatchObject({
        status: 400,
      });
      // The owner's own factor is what it was.
      const again = await ok(app.rest('POST', '/login', { email: owner.email, password: newPassword }));
      expect(again.methods).toEqual(['totp', 'sms']);
      await ok(
        app.rest('POST', '/login/mfa-confirm', {
          ...{
            mfa_pending_token: again.mfa_pending_token,
            method: 'totp',
            code: nextCodeOf(app, own.secret),
          },
        }),
      );
      expect(await putBack(link, owner.password, newPassword)).toEqual(invalid);
      expect(await report(link)).toEqual(invalid);
    });

    test('mails a reset link where no password is chosen; until it is used nobody signs in', async () => {
      const owner = await signUp(app);
      const { intruder, link } = await intrude(owner);
      await setUpTotp(app, intruder);
      expect((await resultOf(putBack(link, owner.password))).message).toContain('A link to choose');
      expect(await signsIn(app, owner)).toBe(false);
      expect(await factorsOf(owner)).toEqual([]);
      expect(await userOf(owner)).toMatchObject({ isMfaEnabled: false });
      for (;;) {
        const mail = await app.nextMail(owner.email);
        if (!mail.text.includes('/reset-password?token=')) continue;
        await ok(app.rest('POST', '/reset-password', { token: tokenOf(mail), new_password: newPassword }));
        break;
      }
      await logIn(app, { ...owner, password: newPassword });
    });

    test('does nothing for somebody who reads the mailbox and would strip the owner of a factor', async () => {
      const owner = await signUp(app);
      await setUpTotp(app, owner);
      const link = await nextNotMe(app, owner.email, /authenticator app was added/);
      const factors = await factorsOf(owner);
      for (const guess of [chosenByThief, newPassword]) {
        expect(await putBack(link, guess, chosenByThief)).toMatchObject({
          code: 'wrong_password',
          status: 400,
        });
      }
      await resultOf(report(link));
      await reset(owner.email, chosenByThief);
      expect(await putBack(link, chosenByThief, newPassword)).toMatchObject({ code: 'wrong_password' });
      expect(await factorsOf(owner)).toEqual(factors);
      const login = await ok(app.rest('POST', '/login', { email: owner.email, password: chosenByThief }));
      expect(login).toMatchObject({ status: 'mfa_required' });
      // The owner knows what was in force when the app was added; it was added by the owner, who keeps the link unused.
      expect(await userOf(owner)).toMatchObject({ isMfaEnabled: true });
    });

    /** How somebody who reads the mailbox gets an account with a password of the own choice. */
    const choices: Record<string, () => Promise<Pick<Member, 'id' | 'email'>>> = {
      async 'with a reset'() {
        const owner = await signUp(app);
        await reset(owner.email, chosenByThief);
        return owner;
      },
      async 'with the first link to the address'() {
        const owner = await app.gatehouse.users.create({ email: newAddress(), password: 'of the owner' });
        await app.rest('POST', '/resend-verification', { email: owner.email });
        const token = tokenOf(await app.nextMail(owner.email));
        await ok(app.rest('POST', '/verify', { token, password: chosenByThief }));
        await enterWith(app, firefox, { ...owner, password: chosenByThief });
        return owner;
      },
    };

    test.each(Object.keys(choices))(
      'does nothing for a reader of the mailbox who has chosen the password %s before the owner added a factor',
      async how => {
        const owner = await choices[how]!();
        await enterWith(app, safari, { ...owner, password: chosenByThief });
        const link = await nextNotMe(app, owner.email, /^A new sign-in/);
        await reset(owner.email, newPassword);
        const back = {
          ...owner,
          password: newPassword,
          token: await logIn(app, { ...owner, password: newPassword }),
        };
        const { token } = await setUpTotp(app, back);
        const phone = await setUpPhone(app, { ...back, token });
        const kept = await factorsOf(owner);
        await resultOf(putBack(link, chosenByThief, 'yet another password'));
        expect(await factorsOf(owner)).toEqual(kept);
        expect(await userOf(owner)).toMatchObject({ isMfaEnabled: true, phoneNumber: phone });
        const { recovery_codes_left } = await ok(
          app.rest('GET', '/authenticators', undefined, { token: await sessionOf(owner.id) }),
        );
        expect(recovery_codes_left).toBe(10);
      },
    );

    test('counts a wrong password as a failed sign-in', async () => {
      const owner = await signUp(app);
      const { link } = await intrude(owner);
      for (let i = 0; i < 2; i++) {
        const login = await app.rest('POST', '/login', { email: owner.email, password: 'wrong' });
        expect(login.status).toBe(401);
      }
      for (let i = 0; i < 5; i++)
        expect(await putBack(link, 'wrong')).toMatchObject({ code: 'wrong_password' });
      const locked = { code: 'account_locked', status: 429, retryAfter: expect.any(Number) };
      expect(await putBack(link, owner.password, newPassword)).toMatchObject(locked);
      expect((await app.rest('POST', '/login', credentials(owner))).status).toBe(429);
      app.clock.advance(901_000);
      await resultOf(putBack(link, owner.password, newPassword));
    });

    test('is not locked by failed sign-ins, with which an intruder would keep the owner out', async () => {
      const owner = await signUp(app);
      const { link } = await intrude(owner);
      for (let i = 0; i < 5; i++) {
        const login = await app.rest('POST', '/login', { email: owner.email, password: 'wrong' });
        expect(login.status).toBe(401);
      }
      expect((await app.rest('POST', '/login', credentials(owner))).status).toBe(429);
      expect(await putBack(link, 'wrong')).toMatchObject({ code: 'wrong_password' });
      await resultOf(putBack(link, owner.password, newPassword));
      expect(await signsIn(app, { ...owner, password: newPassword })).toBe(true);
    });

    test.each(['alone', 'with the former password'])(
      '%s makes the place of the intruder new again',
      async how => {
        const owner = await signUp(app);
        const { link } = await intrude(owner);
        if (how === 'alone') {
          await resultOf(report(link));
          await reset(owner.email, newPassword);
        } else {
          await resultOf(putBack(link, owner.password, newPassword));
        }
        await enterWith(app, safari, { ...owner, password: newPassword });
        await nextNotMe(app, owner.email, /^A new sign-in/);
      },
    );

    test('refuses a new password without the former one, the former one as new, and one against the rules', async () => {
      const owner = await signUp(app);
      const { link } = await intrude(owner);
      expect(await call('reportNotMe', { token: link, new_password: newPassword })).toMatchObject({
        ...{ code: 'invalid_input', status: 422, errors: [{ path: 'password' }] },
      });
      expect(await putBack(link, owner.password, owner.password)).toMatchObject({
        code: 'password_unchanged',
      });
      expect(await putBack(link, owner.password, 'short')).toMatchObject({ code: 'invalid_input' });
      await resultOf(putBack(link, owner.password, newPassword));
      await logIn(app, { ...owner, password: newPassword });
    });

    test('of an account without a password ends the sessions and says whom to ask', async () => {
      const subject = newSubject();
      const email = newAddress();
      const person = { sub: subject, email, email_verified: true };
      const ended = await site.signIn(person);
      const { body } = await site.exchange(ended);
      const { id } = await site.me(body.access_token);
      await app.gatehouse.sessions.issue(id, { method: 'host', userAgent: firefox, mfa: true });
      const link = await nextNotMe(app, email, /^A new sign-in/);
      expect(await putBack(link, newPassword)).toMatchObject({ code: 'wrong_password' });
      expect(await resultOf(report(link))).toEqual({
        message: expect.stringContaining('help@example.org'),
        password_needed: false,
      });
      expect(await isAlive(app, body.access_token)).toBe(false);
      expect(await sessionBy(subject)).not.toBeNull();
    });

    test('is good for seven days, and for an account that is neither disabled nor deleted nor taken over', async () => {
      const linkOf = async () => {
        const owner = await signUp(app);
        return { owner, ...(await intrude(owner)) };
      };
      const old = await linkOf();
      app.clock.advance(7 * 86_400_000 - 1000);
      const late = await linkOf();
      app.clock.advance(1000);
      expect(await report(old.link)).toEqual(invalid);
      expect(await putBack(old.link, old.owner.password, newPassword)).toEqual(invalid);
      const { users } = app.gatehouse.repositories;
      await users.change(late.owner.id, { set: { isActive: false } });
      expect(await report(late.link)).toEqual(invalid);
      await users.change(late.owner.id, { set: { isActive: true } });
      const { operator } = app.gatehouse as Assembled;
      await operator.takeOver({ email: late.owner.email });
      expect(await putBack(late.link, late.owner.password, chosenByThief)).toEqual(invalid);
      const gone = await linkOf();
      await app.gatehouse.users.remove(gone.owner.id);
      expect(await report(gone.link)).toEqual(invalid);
      const { not_me_links, sign_in_places } = app.gatehouse.repositories;
      expect(await not_me_links.listByUser(gone.owner.id)).toEqual([]);
      expect(await sign_in_places.removeAll(gone.owner.id)).toBe(0);
    });

    test('of several emails goes back to its own moment; one that was issued in between is void then', async () => {
      const owner = await signUp(app);
      const { intruder, link: first } = await intrude(owner);
      const earlier = await setUpPasskey(app, intruder);
      const second = await nextNotMe(app, owner.email, /passkey was added/);
      await setUpTotp(app, intruder);
      const third = await nextNotMe(app, owner.email, /authenticator app was added/);
      await resultOf(putBack(third, owner.password, newPassword));
      expect(await factorsOf(owner)).toEqual([earlier.id]);
      // The password that was in force then is that of before.
      await resultOf(putBack(second, owner.password, newPassword));
      expect(await factorsOf(owner)).toEqual([]);
      expect(await putBack(third, owner.password, newPassword)).toEqual(invalid);
      await resultOf(putBack(first, owner.password, 'yet another password'));
      await logIn(app, { ...owner, password: 'yet another password' });
    });

    test('of the time of an intruder is void once the account was put back, also with the password of that time', async () => {
      const owner = await signUp(app);
      const { intruder, link } = await intrude(owner);
      const change = { current_password: owner.password, new_password: chosenByThief };
      await ok(app.rest('POST', '/change-password', change, { token: intruder.token }));
      await enterWith(app, firefox, { ...owner, password: chosenByThief });
      const later = await nextNotMe(app, owner.email, /^A new sign-in/);
      await resultOf(putBack(link, owner.password, newPassword));
      const token = await logIn(app, { ...owner, password: newPassword });
      const { id } = await setUpTotp(app, { token });
      expect(await putBack(later, chosenByThief, chosenByThief)).toEqual(invalid);
      expect(await report(later)).toEqual(invalid);
      expect(await factorsOf(owner)).toEqual([id]);
    });

    test('from before the account was put back takes nothing that the owner added afterwards', async () => {
      const owner = await signUp(app);
      const { intruder, link: early } = await intrude(owner);
      await setUpTotp(app, intruder);
      const link = await nextNotMe(app, owner.email, /authenticator app was added/);
      await resultOf(putBack(link, owner.password, newPassword));
      const token = await logIn(app, { ...owner, password: newPassword });
      const { id } = await setUpTotp(app, { token });
      // Somebody who knows the password from before, and reads the mailbox.
      await resultOf(putBack(early, owner.password, chosenByThief));
      expect(await factorsOf(owner)).toEqual([id]);
    });

    test('does not hand the account to the address of an intruder when the former one is taken', async () => {
      const owner = await signUp(app);
      const { intruder, link } = await intrude(owner);
      const elsewhere = newAddress();
      await moveTo(elsewhere, intruder);
      const other = await app.gatehouse.users.create({ email: owner.email, password: chosenByThief });
      await app.gatehouse.repositories.users.change(other.id, { set: { isVerified: true } });
      expect(await putBack(link, owner.password)).toMatchObject({
        ...{ code: 'invalid_input', errors: [{ path: 'new_password' }] },
      });
      const { message } = await resultOf(putBack(link, owner.password, newPassword));
      expect(message).toContain('could not be put back');
      expect(app.mails.filter(({ to, text }) => to === elsewhere && text.includes('reset-password'))).toEqual(
        [],
      );
      await logIn(app, { email: elsewhere, password: newPassword });
      expect(await userOf(other)).toMatchObject({ email: owner.email });
    });

    test('takes the former address back from an account whose address nobody has proved', async () => {
      const owner = await signUp(app);
      const { intruder, link } = await intrude(owner);
      await moveTo(newAddress(), intruder);
      const other = await app.gatehouse.users.create({ email: owner.email, password: chosenByThief });
      const heard: string[] = [];
      const off = app.gatehouse.on('user_deleted', ({ user }) => void heard.push(user.id));
      const { message } = await resultOf(putBack(link, owner.password));
      off();
      expect(message).toContain('put back as it was');
      expect(await userOf(owner)).toMatchObject({ email: owner.email });
      expect(await userOf(other)).toBeNull();
      expect(heard).toEqual([other.id]);
      await reset(owner.email, newPassword);
      expect(await signsIn(app, { ...owner, password: newPassword })).toBe(true);
    });
  });

  describe('with both attackers at once, whatever comes first', () => {
    /** What happens after the intruder has planted an identity and an authenticator app, in every order. */
    const steps = ['the link', 'the reset', 'the sign-in'] as const;
    const orders = steps.flatMap(a =>
      steps.filter(b => b !== a).map(b => [a, b, steps.find(c => c !== a && c !== b)!]),
    );

    test.each(orders)('%s, then %s, then %s: the owner has the account in the end', async (...order) => {
      const owner = await signUp(app);
      const own = await setUpPasskey(app, owner);
      const { intruder, link } = await intrude(owner);
      const planted = await setUpTotp(app, intruder);
      const subject = newSubject();
      await site.link(intruder, subject);
      const acts: Record<(typeof steps)[number], () => Promise<unknown>> = {
        // Whoever reads the mailbox does what the owner could.
        'the link': () => ok(app.rest('POST', '/not-me', { token: link })),
        'the reset': () => reset(owner.email, chosenByThief),
        // The intruder comes back by the identity, where the second step is the intruder's own, and plants more.
        async 'the sign-in'() {
          const { body } = await site.exchange(await site.signIn(subject));
          const proof = { method: 'totp', code: nextCodeOf(app, planted.secret) };
          const confirmed = { mfa_pending_token: body.mfa_pending_token, ...proof };
          const { access_token: token } = await ok(app.rest('POST', '/login/mfa-confirm', confirmed));
          await setUpTotp(app, { token });
        },
      };
      for (const step of order) await acts[step]();
      const { message } = await ok(
        app.rest('POST', '/not-me', { token: link, password: owner.password, new_password: newPassword }),
      );
      expect(message).toContain('put back as it was');
      expect(await factorsOf(owner)).toEqual([own.id]);
      expect(await site.identitiesOf(owner)).toEqual([]);
      expect(await userOf(owner)).toMatchObject({ isMfaEnabled: false });
      for (const password of [owner.password, chosenByThief]) {
        expect(await signsIn(app, { ...owner, password })).toBe(false);
      }
      expect(await isAlive(app, await logIn(app, { ...owner, password: newPassword }))).toBe(true);
    });
  });
});
