import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, password, signUp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { newAddress, signUpSuperuser, startAdministration } from '../support/people.ts';
import { addUsers, list } from './administration.ts';

describeEachDriver('administration', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    ({ app, root } = await startAdministration(backend));
  });
  afterAll(() => app?.close());
  const asRoot = () => ({ token: root.token });
  const users = () => app.gatehouse.repositories.users;
  const mailsTo = (email: string) => app.mails.filter(mail => mail.to === email);

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });

    describe('is open to superusers alone', () => {
      const requests: [Parameters<Call>[0], () => object | undefined][] = [
        ['adminStats', () => undefined],
        ['user', () => ({ id: root.id })],
        ['adminUpdateUser', () => ({ id: root.id, is_active: false })],
        ['adminDeleteUser', () => ({ id: root.id })],
        ['adminResendVerification', () => ({ id: root.id })],
        ['adminSendReset', () => ({ id: root.id })],
        ['adminChangeEmail', () => ({ id: root.id, email: newAddress() })],
        ['adminRequireNewPassword', () => ({ id: root.id })],
        ['adminUnlock', () => ({ id: root.id })],
        ['adminRevokeSessions', () => ({ id: root.id })],
        ['adminPromotePending', () => ({ email: newAddress() })],
      ];

      test.each(requests)('%s', async (operation, input) => {
        // An attacker with an account of their own calls what only superusers may.
        const unauthenticated = { ok: false, code: 'unauthenticated', status: 401 };
        expect(await call(operation, input())).toEqual(unauthenticated);
        expect(await call(operation, input(), { token: 'garbage' })).toEqual(unauthenticated);
        const { token } = await signUp(app);
        expect(await call(operation, input(), { token })).toEqual({
          ok: false,
          code: 'forbidden',
          status: 403,
        });
        expect(await users().find(root.id)).toMatchObject({ isActive: true, tokensInvalidatedAfter: null });
      });

      test.each(['users', 'pendingRegistrations'] as const)('%s', async name => {
        expect(await list(door, app, '', name)).toMatchObject({ code: 'unauthenticated', status: 401 });
        const { token } = await signUp(app);
        expect(await list(door, app, token, name)).toMatchObject({ code: 'forbidden', status: 403 });
        expect(await list(door, app, root.token, name)).toMatchObject({ ok: true });
      });

      test('from the moment on at which somebody stops being one', async () => {
        const other = await signUpSuperuser(app);
        expect(await call('adminStats', undefined, other)).toMatchObject({ ok: true });
        await resultOf(call('adminUpdateUser', { id: other.id, is_superuser: false }, asRoot()));
        expect(await call('adminStats', undefined, other)).toMatchObject({ code: 'forbidden' });
      });

      test('and tells a stranger nothing about which ids exist', async () => {
        // An attacker tries ids to learn who has an account.
        const { token } = await signUp(app);
        const known = await call('user', { id: root.id }, { token });
        expect(await call('user', { id: randomUUID() }, { token })).toEqual(known);
      });
    });

    test('counts users by what they are, and registrations that still wait', async () => {
      const before = await resultOf(call('adminStats', undefined, asRoot()));
      const [disabled] = await addUsers(app, [{ email: newAddress() }, { email: newAddress() }]);
      await users().change(disabled!, { set: { isActive: false, isVerified: false } });
      await app.rest('POST', '/register', { email: newAddress(), password });
      expect(await resultOf(call('adminStats', undefined, asRoot()))).toEqual({
        total_users: before.total_users + 2,
        active_users: before.active_users + 1,
        verified_users: before.verified_users + 1,
        superusers: before.superusers,
        pending_registrations: before.pending_registrations + 1,
      });
    });

    test('reads one user as that user reads itself, and whether it is reported', async () => {
      const member = await signUp(app);
      const me = await resultOf(call('me', undefined, member));
      expect(await resultOf(call('user', { id: member.id }, asRoot()))).toEqual({
        ...{ ...me, reported_at: null, locked_until: null },
      });
    });

    const strangeIds: [string, string][] = [
      ['unknown', randomUUID()],
      ['of another form', 'nobody'],
      ['with slashes', '../users/x'],
      ['with a quote', "' or 1=1 --"],
      ['like an operator', '{"$ne":null}'],
      ['of per cent signs', '%00%2f'],
      ['of dots', '...'],
      ['as long as an id can be', 'x'.repeat(64)],
      ['beyond ASCII', 'ünïcode 🐈'],
    ];

    test.each(strangeIds)('knows no user whose id is %s', async (_, id) => {
      const missing = { ok: false, code: 'not_found', status: 404 };
      expect(await call('user', { id }, asRoot())).toEqual(missing);
      expect(await call('adminUpdateUser', { id, is_active: false }, asRoot())).toEqual(missing);
      expect(await call('adminDeleteUser', { id }, asRoot())).toEqual(missing);
      expect(await call('adminResendVerification', { id }, asRoot())).toEqual(missing);
      expect(await call('adminSendReset', { id }, asRoot())).toEqual(missing);
      expect(await call('adminUnlock', { id }, asRoot())).toEqual(missing);
      expect(await call('adminRevokeSessions', { id }, asRoot())).toEqual(missing);
    });

    test.each([
      ['NUL', 'a\0b'],
      ['65 characters', 'x'.repeat(65)],
      ['10,000 characters', 'x'.repeat(10_000)],
    ])('refuses an id of %s', async (_, id) => {
      const refused = { code: 'invalid_input', status: 422, errors: [{ path: 'id' }] };
      expect(await call('user', { id }, asRoot())).toMatchObject(refused);
      expect(await call('adminDeleteUser', { id }, asRoot())).toMatchObject(refused);
    });

    test('deletes an account: its sessions are dead, its address is free, its id never comes back', async () => {
      const member = await signUp(app);
      expect(await resultOf(call('adminDeleteUser', { id: member.id }, asRoot()))).toEqual({
        message: expect.any(String),
      });
      expect(await call('me', undefined, member)).toMatchObject({ code: 'unauthenticated' });
      expect(await call('login', member_(member))).toMatchObject({ code: 'invalid_credentials' });
      expect(await call('user', { id: member.id }, asRoot())).toMatchObject({ code: 'not_found' });
      expect(await call('adminDeleteUser', { id: member.id }, asRoot())).toMatchObject({ code: 'not_found' });
      const again = await signUp(app, member.email);
      expect(again.id).not.toBe(member.id);
      expect(await call('me', undefined, member)).toMatchObject({ code: 'unauthenticated' });
    });

    test('sends a new link to a user who is not verified, and refuses one who is', async () => {
      const [id] = await addUsers(app, [{ email: newAddress() }]);
      const { email } = (await users().find(id!))!;
      const again = () => call('adminResendVerification', { id }, asRoot());
      expect(await again()).toEqual({ ok: false, code: 'already_verified', status: 409 });
      expect(mailsTo(email)).toEqual([]);

      await users().change(id!, { set: { isVerified: false } });
      expect(await resultOf(again())).toEqual({ message: expect.any(String) });
      const first = tokenOf(await app.nextMail(email));
      await resultOf(again());
      const second = tokenOf(await app.nextMail(email));
      expect(await call('verify', { token: first })).toMatchObject({ code: 'invalid_token' });
      expect(await call('verify', { token: second })).toMatchObject({ ok: true, value: { id } });
      expect(await again()).toMatchObject({ code: 'already_verified' });
    });

    describe('sends a reset link', () => {
      const send = (id: string) => call('adminSendReset', { id }, asRoot());

      // Shows asvs/6.4.6.
      test('that sets a new password once, also the first one', async () => {
        const [id] = await addUsers(app, [{ email: newAddress() }]);
        const { email } = (await users().find(id!))!;
        const events: object[] = [];
        const off = app.gatehouse.on('password_reset_requested', event => void events.push(event));
        expect(await resultOf(send(id!))).toEqual({ message: expect.any(String) });
        off();
        expect(events).toMatchObject([{ user: { id }, urlWithoutToken: expect.not.stringMatching('token') }]);
        const token = tokenOf(await app.nextMail(email));
        const reset = { token, new_password: 'another password' };
        expect(await call('resetPassword', reset)).toMatchObject({ ok: true });
        expect(await call('resetPassword', reset)).toMatchObject({ code: 'invalid_token' });
        expect(await call('login', { email, password: 'another password' })).toMatchObject({ ok: true });
      });

      test('beyond the cap of an address not, and says so', async () => {
        // An administrator's script must not fill a mailbox, and must not believe that it has.
        const member = await signUp(app);
        for (let i = 0; i < 5; i++) await resultOf(send(member.id));
        const refused = await send(member.id);
        expect(refused).toEqual({ ok: false, code: 'rate_limited', status: 429, retryAfter: 3600 });
        expect(mailsTo(member.email).filter(({ text }) => /reset-password/.test(text))).toHaveLength(5);
        // Requests of the owner count together with it.
        await app.rest('POST', '/forgot-password', { email: member.email });
        expect(await send(member.id)).toEqual(refused);
      });

      test('not for a disabled account, whose links do not work', async () => {
        const member = await signUp(app);
        await users().change(member.id, { set: { isActive: false } });
        const before = mailsTo(member.email).length;
        expect(await send(member.id)).toEqual({ ok: false, code: 'account_disabled', status: 403 });
        expect(mailsTo(member.email)).toHaveLength(before);
      });

      test('not to an address that has no mailbox', async () => {
        const [id] = await addUsers(app, [{ email: `google-${randomUUID()}@oauth.invalid` }]);
        const refused = { ok: false, code: 'invalid_input', status: 422, errors: [{ path: 'id' }] };
        expect(await send(id!)).toMatchObject(refused);
        await users().change(id!, { set: { isVerified: false } });
        expect(await call('adminResendVerification', { id }, asRoot())).toMatchObject(refused);
      });
    });

    test('says that no verification link was sent, and why', async () => {
      const [id] = await addUsers(app, [{ email: newAddress() }]);
      const { email } = (await users().find(id!))!;
      const again = () => call('adminResendVerification', { id }, asRoot());
      await users().change(id!, { set: { isVerified: false, isActive: false } });
      expect(await again()).toEqual({ ok: false, code: 'account_disabled', status: 403 });
      await users().change(id!, { set: { isActive: true } });
      for (let i = 0; i < 5; i++) await resultOf(again());
      const refused = { ok: false, code: 'rate_limited', status: 429, retryAfter: 3600 };
      expect(await again()).toEqual(refused);
      expect(mailsTo(email)).toHaveLength(5);
      // The link that was mailed last stays good.
      const [last] = mailsTo(email).slice(-1);
      expect(await call('verify', { token: tokenOf(last!) })).toMatchObject({ ok: true });
    });

    test('unlocks an account that wrong passwords have locked', async () => {
      const member = await signUp(app);
      const guess = { email: member.email, password: 'wrong horse battery' };
      for (let i = 0; i < 5; i++) {
        expect(await call('login', guess)).toMatchObject({ code: 'invalid_credentials' });
      }
      expect(await call('login', member_(member))).toMatchObject({ code: 'account_locked', status: 429 });
      await resultOf(call('adminUnlock', { id: member.id }, asRoot()));
      expect(await call('login', member_(member))).toMatchObject({ ok: true });
    });

    // Shows asvs/7.4.5.
    test('ends every session of an account, and none of another', async () => {
      const member = await signUp(app);
      const other = await logIn(app, member);
      const view = await resultOf(call('adminRevokeSessions', { id: member.id }, asRoot()));
      expect(view).toMatchObject({ id: member.id, tokens_invalidated_after: expect.any(String) });
      for (const token of [member.token, other]) {
        expect(await call('me', undefined, { token })).toMatchObject({ code: 'unauthenticated' });
      }
      expect(await call('me', undefined, asRoot())).toMatchObject({ ok: true });
      expect(await call('me', undefined, { token: await logIn(app, member) })).toMatchObject({ ok: true });
    });
  });

  test('refuses an id in the body of a request whose path has one', async () => {
    // An attacker hopes that one id is checked and the other one used.
    const [victim] = await addUsers(app, [{ email: newAddress() }]);
    const [other] = await addUsers(app, [{ email: newAddress() }]);
    const body = { id: victim, is_active: false };
    const reply = await app.rest('PATCH', `/admin/users/${other}`, body, asRoot());
    expect(reply.status).toBe(422);
    expect(reply.body.errors).toMatchObject([{ path: 'id', rule: expect.any(String) }]);
    for (const id of [victim!, other!]) expect(await users().find(id)).toMatchObject({ isActive: true });
    const twice = await app.rest(
      'POST',
      '/admin/pending/a@example.org/promote',
      { email: 'b@x.org' },
      asRoot(),
    );
    expect(twice.status).toBe(422);
  });

  test.each(['%', '%zz', '%c3%28', 'a%2', '%ed%a0%80'])(
    'knows no user under the broken path %s',
    async id => {
      expect(await app.rest('GET', `/admin/users/${id}`, undefined, asRoot())).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    },
  );
});

/** What login takes of a member. */
const member_ = ({ email, password }: Member) => ({ email, password });
