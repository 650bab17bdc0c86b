import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Events } from '../../src/events.ts';
import { type App, type Member, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { asInNode } from '../support/in-node.ts';
import { newAddress } from '../support/people.ts';
import { signer } from '../support/signer.ts';

function listen<E extends keyof Events>(app: App, event: E): Events[E][] {
  const heard: Events[E][] = [];
  app.gatehouse.on(event, payload => heard.push(payload));
  return heard;
}

describeEachDriver('changing the address', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend });
  });
  afterAll(() => app?.close());

  /** The next mail to somebody whose subject fits. */
  async function nextMail(to: string, subject: RegExp) {
    for (;;) {
      const mail = await app.nextMail(to);
      if (subject.test(mail.subject)) return mail;
    }
  }

  /** Asks for the change and answers the token of the mail. */
  async function requested(member: Member, new_email: string): Promise<string> {
    const body = { current_password: member.password, new_email };
    const { status } = await app.rest('POST', '/change-email', body, { token: member.token });
    expect(status).toBe(202);
    return tokenOf(await nextMail(new_email, /Confirm your new email address/));
  }

  const ways = doorsOn(backend);
  describe.each(ways)('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });
    const request = (member: Member, new_email: string, current_password = member.password) =>
      call('changeEmail', { current_password, new_email }, { token: member.token });
    const confirm = (token: string) => call('confirmEmailChange', { token });
    const signIn = (email: string, password: string) => call('login', { email, password });
    const isAlive = async (token: string) => (await call('me', undefined, { token })).ok;

    // Shows 63b/4.2.1.2#verified.
    test('happens when the link is used and not before; then every session ends and the new address signs in', async () => {
      const member = await signUp(app);
      const address = newAddress();
      expect(await request(member, ` ${address.toUpperCase()} `)).toEqual({
        ok: true,
        value: { message: expect.any(String) },
      });
      const token = tokenOf(await app.nextMail(address));
      expect(await isAlive(member.token)).toBe(true);
      expect(await signIn(address, member.password)).toMatchObject({ code: 'invalid_credentials' });

      const user = await resultOf(confirm(token));
      expect(user).toMatchObject({ id: member.id, email: address, is_verified: true });
      expect(user.tokens_invalidated_after).not.toBeNull();
      expect(await isAlive(member.token)).toBe(false);
      expect(await signIn(member.email, member.password)).toMatchObject({ code: 'invalid_credentials' });
      const session = await resultOf(signIn(address, member.password));
      expect(await isAlive(session.access_token)).toBe(true);
    });

    test('tells the old address at the request and at the change, and shows it the new one only in part', async () => {
      // Somebody at an open session moves the account to himself: its owner must hear of it in time.
      const member = await signUp(app);
      const address = newAddress();
      await resultOf(request(member, address));
      const atRequest = await nextMail(member.email, /was requested/);
      await resultOf(confirm(tokenOf(await app.nextMail(address))));
      const atChange = await nextMail(member.email, /was changed/);
      for (const { text, html } of [atRequest, atChange]) {
        expect(text + html).not.toContain(address);
        expect(text + html).not.toMatch(/token=/);
        expect(text).toContain(`${address[0]}***@example.org`);
      }
    });

    test('fires email_change_requested and email_changed', async () => {
      const [asked, changed] = [listen(app, 'email_change_requested'), listen(app, 'email_changed')];
      const member = await signUp(app);
      const address = newAddress();
      await resultOf(request(member, address));
      const token = tokenOf(await app.nextMail(address));
      expect(asked).toMatchObject([{ user: { id: member.id, email: member.email }, newEmail: address }]);
      expect(asked[0]?.url).toContain(token);
      expect(asked[0]?.urlWithoutToken).not.toContain(token);
      expect(changed).toEqual([]);
      const user = asInNode(await resultOf(confirm(token)));
      expect(changed).toEqual([{ user, by: 'self', previousEmail: member.email }]);
    });

    test('needs the current password; a wrong one sends nothing', async () => {
      const member = await signUp(app);
      const address = newAddress();
      expect(await request(member, address, 'wrong horse battery')).toEqual({
        ok: false,
        code: 'wrong_password',
        status: 400,
      });
      await requested(member, newAddress());
      expect(app.mails.map(({ to }) => to)).not.toContain(address);
    });

    test('needs a session', async () => {
      const input = { current_password: 'correct horse battery', new_email: newAddress() };
      expect(await call('changeEmail', input)).toMatchObject({ code: 'unauthenticated', status: 401 });
    });

    test('is refused for the address that it is already, in upper case too', async () => {
      const member = await signUp(app);
      for (const same of [member.email, member.email.toUpperCase(), ` ${member.email}\n`]) {
        expect(await request(member, same)).toEqual({ ok: false, code: 'email_unchanged', status: 400 });
      }
    });

    test('is refused for the address of somebody else, in upper case too', async () => {
      const [member, other] = [await signUp(app), await signUp(app)];
      for (const taken of [other.email, other.email.toUpperCase()]) {
        expect(await request(member, taken)).toEqual({ ok: false, code: 'email_taken', status: 409 });
      }
    });

    test('is refused at the link when somebody else has taken the address meanwhile, and changes nothing', async () => {
      const member = await signUp(app);
      const address = newAddress();
      const token = await requested(member, address);
      const other = await signUp(app, address);
      expect(await confirm(token)).toEqual({ ok: false, code: 'email_taken', status: 409 });
      expect(await isAlive(member.token)).toBe(true);
      expect(await isAlive(other.token)).toBe(true);
      expect(await signIn(member.email, member.password)).toMatchObject({ ok: true });
    });

    test('is refused for an account without a password, which changes nothing', async () => {
      const member = await signUp(app);
      await app.gatehouse.repositories.users.change(member.id, { set: { hashedPassword: null } });
      expect(await request(member, newAddress())).toEqual({
        ok: false,
        code: 'password_not_set',
        status: 400,
      });
    });

    test.each(['someone@oauth.invalid', 'SOMEONE@OAuth.Invalid', 'no address', ''])(
      'is refused to %j',
      async address => {
        const member = await signUp(app);
        expect(await request(member, address)).toMatchObject({
          code: 'invalid_input',
          status: 422,
          errors: [{ path: 'new_email' }],
        });
      },
    );

    test('happens once for each link', async () => {
      const member = await signUp(app);
      const [first, second] = [newAddress(), newAddress()];
      const [one, two] = [await requested(member, first), await requested(member, second)];
      await resultOf(confirm(one));
      for (const dead of [one, two]) {
        expect(await confirm(dead)).toEqual({ ok: false, code: 'invalid_token', status: 400 });
      }
      expect(await signIn(second, member.password)).toMatchObject({ code: 'invalid_credentials' });
      expect(await signIn(first, member.password)).toMatchObject({ ok: true });
    });

    test('does not happen by a link from the moment on that it expires', async () => {
      const [early, late] = [await signUp(app), await signUp(app)];
      const [first, second] = [newAddress(), newAddress()];
      const tokens = [await requested(early, first), await requested(late, second)] as const;
      app.clock.advance(3_599_999);
      await resultOf(confirm(tokens[0]));
      app.clock.advance(1);
      expect(await confirm(tokens[1])).toMatchObject({ code: 'invalid_token' });
      expect(await signIn(late.email, late.password)).toMatchObject({ ok: true });
    });

    test.each(['session', 'password_reset', 'phone_setup', 'login_mfa'] as const)(
      'does not happen by a %s token, even when it names an address',
      async purpose => {
        // A holder of one kind of token tries it where it is worth more.
        const member = await signUp(app);
        const claims = { sub: member.id, issuedAt: app.clock.now(), new_email: newAddress() };
        expect(await confirm(signer(app.clock).sign(purpose, claims))).toMatchObject({
          code: 'invalid_token',
        });
        expect(await isAlive(member.token)).toBe(true);
      },
    );

    test('does not happen after the password changed, the sessions were ended, or the account was disabled', async () => {
      // Somebody at an open session asks for the change; its owner notices, and ends everything.
      const ways: ((member: Member) => Promise<unknown>)[] = [
        ({ token, password: current_password }) =>
          resultOf(call('changePassword', { current_password, new_password: 'another horse' }, { token })),
        ({ token }) => resultOf(call('logout', { everywhere: true }, { token })),
        ({ id }) => app.gatehouse.repositories.users.change(id, { set: { isActive: false } }),
        ({ id }) => app.gatehouse.repositories.users.remove(id),
      ];
      for (const end of ways) {
        const member = await signUp(app);
        const address = newAddress();
        const token = await requested(member, address);
        await end(member);
        expect(await confirm(token)).toMatchObject({ code: 'invalid_token' });
        expect(await app.gatehouse.repositories.users.findByEmail(address)).toBeNull();
      }
    });

    test('clears the lockout of the previous address', async () => {
      const member = await signUp(app);
      const token = await requested(member, newAddress());
      for (let i = 0; i < 5; i++) await signIn(member.email, 'wrong horse battery');
      expect(await signIn(member.email, member.password)).toMatchObject({ code: 'account_locked' });
      await resultOf(confirm(token));
      expect(await signIn(member.email, member.password)).toMatchObject({ code: 'invalid_credentials' });
    });

    test('takes the address from a registration that was pending for it', async () => {
      // A stranger registers an address that is about to become somebody's, to take it afterwards.
      const member = await signUp(app);
      const address = newAddress();
      const token = await requested(member, address);
      await resultOf(call('register', { email: address, password: 'password of a stranger' }));
      const link = tokenOf(await nextMail(address, /Confirm your email address/));
      await resultOf(confirm(token));
      expect(await call('verify', { token: link })).toMatchObject({ code: 'invalid_token' });
      expect(await signIn(address, 'password of a stranger')).toMatchObject({ code: 'invalid_credentials' });
      expect(await signIn(address, member.password)).toMatchObject({ ok: true });
    });

    test('lets somebody else register the previous address', async () => {
      const member = await signUp(app);
      const address = newAddress();
      await resultOf(confirm(await requested(member, address)));
      await nextMail(member.email, /was changed/);
      const other = await signUp(app, member.email);
      expect(other.id).not.toBe(member.id);
      expect(await signIn(address, member.password)).toMatchObject({ ok: true });
    });
  });

  test('of 40 parallel confirmations of one link exactly one succeeds', async () => {
    const member = await signUp(app);
    const address = newAddress();
    const token = await requested(member, address);
    const changed = listen(app, 'email_changed');
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => app.rest('POST', '/confirm-email-change', { token })),
    );
    const codes = replies.map(({ status, body }) => (status === 200 ? 'ok' : body.code)).sort();
    expect(codes).toEqual([...Array(39).fill('invalid_token'), 'ok']);
    expect(changed).toHaveLength(1);
  });

  test('of two accounts that confirm one address at once, one gets it and the other stays as it is', async () => {
    for (let round = 0; round < 3; round++) {
      const members = [await signUp(app), await signUp(app)];
      const address = newAddress();
      const tokens = [];
      for (const member of members) tokens.push(await requested(member, address));
      const replies = await Promise.all(
        tokens.map(token => app.rest('POST', '/confirm-email-change', { token })),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
      const loser = members[replies.findIndex(({ status }) => status === 409)]!;
      const winner = members[replies.findIndex(({ status }) => status === 200)]!;
      expect((await app.gatehouse.repositories.users.findByEmail(address))?.id).toBe(winner.id);
      const { body } = await app.rest('GET', '/me', undefined, { token: loser.token });
      expect(body).toMatchObject({ id: loser.id, email: loser.email, tokens_invalidated_after: null });
    }
  });

  test('of a confirmation and a verification of one address at once, one gets it', async () => {
    for (let round = 0; round < 3; round++) {
      const member = await signUp(app);
      const address = newAddress();
      const token = await requested(member, address);
      await app.rest('POST', '/register', { email: address, password: 'password of a stranger' });
      const link = tokenOf(await nextMail(address, /Confirm your email address/));
      const replies = await Promise.all([
        app.rest('POST', '/confirm-email-change', { token }),
        app.rest('POST', '/verify', { token: link }),
      ]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await app.gatehouse.repositories.users.findByEmail(address)).not.toBeNull();
      expect(await app.gatehouse.repositories.pending.find(address)).toBeNull();
    }
  });
});
