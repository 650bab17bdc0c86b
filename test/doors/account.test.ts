import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Events } from '../../src/events.ts';
import { type App, type Member, signUp, signUpByMail, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { asInNode } from '../support/in-node.ts';
import { newAddress } from '../support/people.ts';

function listen<E extends keyof Events>(app: App, event: E): Events[E][] {
  const heard: Events[E][] = [];
  app.gatehouse.on(event, payload => heard.push(payload));
  return heard;
}

describeEachDriver('deleting the account', backend => {
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

  const ways = doorsOn(backend);
  describe.each(ways)('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });
    const remove = (member: Member, current_password = member.password) =>
      call('deleteAccount', { current_password }, { token: member.token });
    const isAlive = async (token: string) => (await call('me', undefined, { token })).ok;

    // Shows asvs/7.4.2.
    test('ends its sessions, its links and its login', async () => {
      const member = await signUp(app);
      await call('forgotPassword', { email: member.email });
      const resetToken = tokenOf(await nextMail(member.email, /Choose a new password/));
      const address = newAddress();
      const change = { current_password: member.password, new_email: address };
      await resultOf(call('changeEmail', change, { token: member.token }));
      const changeToken = tokenOf(await app.nextMail(address));

      expect(await remove(member)).toEqual({ ok: true, value: { message: expect.any(String) } });
      expect(await call('me', undefined, { token: member.token })).toMatchObject({ code: 'unauthenticated' });
      const { email, password } = member;
      expect(await call('login', { email, password })).toMatchObject({ code: 'invalid_credentials' });
      for (const attempt of [
        call('resetPassword', { token: resetToken, new_password: 'another horse' }),
        call('confirmEmailChange', { token: changeToken }),
      ]) {
        expect(await attempt).toMatchObject({ code: 'invalid_token', status: 400 });
      }
      expect(await app.gatehouse.repositories.users.findByEmail(address)).toBeNull();
    });

    // Shows 63b/4.5#invalidate.
    test('takes everything along that belongs to it, and nothing of anybody else', async () => {
      const [member, bystander] = [await signUp(app), await signUp(app)];
      const { users, oauth_identities, mfa_codes, pending } = app.gatehouse.repositories;
      const now = app.clock.now();
      const expiresAt = new Date(now.getTime() + 300_000);
      for (const { id, email } of [member, bystander]) {
        const identity = { provider: 'google', subjectId: randomUUID(), userId: id, email };
        const issuer = 'https://issuer.example';
        await oauth_identities.add({
          id: randomUUID(),
          issuer,
          ...identity,
          linkedAt: now,
          lastUsedAt: null,
        });
        const code = { phoneNumber: '+15550100', codeHash: 'hash', attempts: 0, createdAt: now, expiresAt };
        await mfa_codes.replace({ userId: id, kind: 'login', ...code });
        const row = { email, userId: id, fullName: null, hashedPassword: null, createdAt: now, expiresAt };
        const rest = {
          passwordForm: null,
          isContested: false,
          claimedAt: null,
          fields: null,
          fieldsAt: null,
          locale: null,
        };
        await pending.add({ ...row, ...rest, tokenHash: randomUUID() });
      }
      await resultOf(remove(member));
      expect(await users.find(member.id)).toBeNull();
      expect(await oauth_identities.listByUser(member.id)).toEqual([]);
      expect(await mfa_codes.find(member.id, 'login')).toBeNull();
      expect(await pending.find(member.email)).toBeNull();
      expect(await isAlive(bystander.token)).toBe(true);
      expect(await oauth_identities.listByUser(bystander.id)).toHaveLength(1);
      expect(await mfa_codes.find(bystander.id, 'login')).not.toBeNull();
      expect(await pending.find(bystander.email)).not.toBeNull();
    });

    test('forgets the wrong guesses at its secrets', async () => {
      const { attempts } = app.gatehouse.repositories;
      const member = await signUp(app);
      const { id, email } = member;
      await call('login', { email, password: 'wrong horse battery' });
      const wrong = { current_password: 'wrong horse battery', new_password: 'another password' };
      await call('changePassword', wrong, { token: member.token });
      const rows = async () => (await Promise.all([email, `password:${id}`].map(attempts.list))).flat();
      expect(await rows()).toHaveLength(2);
      await resultOf(remove(member));
      expect(await rows()).toEqual([]);
    });

    test('lifts no cap: an address gets no more mails by being deleted and registered again', async () => {
      // A stranger who can make accounts of somebody's address would fill the mailbox otherwise.
      const email = newAddress();
      for (let i = 0; i < 5; i++) await resultOf(remove(await signUpByMail(app, email)));
      await call('register', { email, password: 'correct horse battery' });
      // A mail to somebody else is later, so the sixth would be here by now.
      await signUpByMail(app);
      const links = app.mails.filter(({ to, text }) => to === email && /verify/.test(text));
      expect(links).toHaveLength(5);
    });

    // Shows asvs/10.3.3.
    test('frees its address for another account, which no token of the old one opens', async () => {
      // Somebody keeps the tokens of an account that he deletes, and waits for its address to be registered again.
      const member = await signUp(app);
      await call('forgotPassword', { email: member.email });
      const resetToken = tokenOf(await nextMail(member.email, /Choose a new password/));
      await resultOf(remove(member));
      const next = await signUp(app, member.email);
      expect(next.id).not.toBe(member.id);
      expect(await isAlive(next.token)).toBe(true);
      expect(await isAlive(member.token)).toBe(false);
      const reset = { token: resetToken, new_password: 'the password of a thief' };
      expect(await call('resetPassword', reset)).toMatchObject({ code: 'invalid_token' });
    });

    // Shows asvs/7.5.3.
    test('needs the current password; a wrong one deletes nothing', async () => {
      const heard = listen(app, 'user_deleted');
      const member = await signUp(app);
      expect(await remove(member, 'wrong horse battery')).toEqual({
        ok: false,
        code: 'wrong_password',
        status: 400,
      });
      expect(await isAlive(member.token)).toBe(true);
      expect(heard).toEqual([]);
    });

    test('is refused without a password set, and deletes nothing', async () => {
      const member = await signUp(app);
      await app.gatehouse.repositories.users.change(member.id, { set: { hashedPassword: null } });
      expect(await remove(member)).toEqual({ ok: false, code: 'password_not_set', status: 400 });
      expect(await isAlive(member.token)).toBe(true);
    });

    test('needs a session', async () => {
      const input = { current_password: 'correct horse battery' };
      expect(await call('deleteAccount', input)).toMatchObject({ code: 'unauthenticated', status: 401 });
    });

    test('fires user_deleted by self with the user as it last was', async () => {
      const heard = listen(app, 'user_deleted');
      const member = await signUp(app);
      const user = await resultOf(call('me', undefined, { token: member.token }));
      await resultOf(remove(member));
      expect(heard).toEqual([{ user: asInNode(user), by: 'self' }]);
    });

    test('is refused to the last active superuser, who stays one, and open to the last but one', async () => {
      const { users } = app.gatehouse.repositories;
      const [first, second] = [await signUp(app), await signUp(app)];
      await users.change(first.id, { set: { isSuperuser: true } });
      await users.change(second.id, { set: { isSuperuser: true } });
      expect(await remove(first)).toMatchObject({ ok: true });
      expect(await remove(second)).toEqual({ ok: false, code: 'last_superuser', status: 409 });
      expect(await users.find(second.id)).toMatchObject({ isActive: true, isSuperuser: true });
      expect(await isAlive(second.token)).toBe(true);
      await users.remove(second.id);
    });
  });

  test('of 20 parallel deletions of one account one succeeds and one event fires', async () => {
    const heard = listen(app, 'user_deleted');
    const { password: current_password, token } = await signUp(app);
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => app.rest('DELETE', '/account', { current_password }, { token })),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(19).fill(401)]);
    expect(heard).toHaveLength(1);
  });

  test('of the last two superusers who delete themselves at once, one stays at least', async () => {
    const { users } = app.gatehouse.repositories;
    for (let round = 0; round < 3; round++) {
      const members = [await signUp(app), await signUp(app)];
      for (const { id } of members) await users.change(id, { set: { isSuperuser: true } });
      const replies = await Promise.all(
        members.map(({ password: current_password, token }) =>
          app.rest('DELETE', '/account', { current_password }, { token }),
        ),
      );
      expect(await users.countActiveSuperusers()).toBe(replies.filter(({ status }) => status === 409).length);
      expect(await users.countActiveSuperusers()).toBeGreaterThanOrEqual(1);
      for (const { id } of members) await users.remove(id);
    }
  });
});

describe('while account deletion is off', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: { enableAccountDeletion: false } });
  });
  afterAll(() => app?.close());

  test('DELETE /account is 404 with and without a session, and deletes nothing', async () => {
    const { token, password: current_password } = await signUp(app);
    for (const options of [{ token }, { token: 'garbage' }, {}]) {
      const reply = await app.rest('DELETE', '/account', { current_password }, options);
      expect(reply.status).toBe(404);
      expect(reply.body).toMatchObject({ code: 'not_found', status: 404 });
    }
    expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
  });

  test('deleteAccount is no field of the GraphQL schema', async () => {
    const { token, password } = await signUp(app);
    const document = `mutation { deleteAccount(input: { currentPassword: "${password}" }) { message } }`;
    const { body } = await app.graphql(document, undefined, { token });
    expect(body.errors[0]).toMatchObject({ extensions: { code: 'invalid_document' } });
    expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
  });
});
