import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, signUp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { newAddress, startAdministration } from '../support/people.ts';
import { addUsers } from './administration.ts';

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

    describe('changes an account:', () => {
      // Shows asvs/7.4.2.
      test('disabling ends its sessions for good, and enabling lets it sign in again', async () => {
        const member = await signUp(app);
        const mailed = () => app.mails.filter(({ to }) => to === member.email).length;
        const before = mailed();
        const view = await resultOf(call('adminUpdateUser', { id: member.id, is_active: false }, asRoot()));
        expect(view).toMatchObject({ id: member.id, is_active: false });
        const issued = (await users().find(member.id))!.lastIssuedAt!;
        expect(Date.parse(view.tokens_invalidated_after)).toBeGreaterThanOrEqual(issued.getTime());
        expect(await call('me', undefined, member)).toMatchObject({ code: 'unauthenticated' });
        expect(await call('login', member_(member))).toMatchObject({ code: 'account_disabled', status: 403 });

        await resultOf(call('adminUpdateUser', { id: member.id, is_active: true }, asRoot()));
        expect(await call('me', undefined, member)).toMatchObject({ code: 'unauthenticated' });
        const token = await logIn(app, member);
        expect(await call('me', undefined, { token })).toMatchObject({ ok: true });
        expect(mailed()).toBe(before);
      });

      test('disabling kills links that were mailed before', async () => {
        const member = await signUp(app);
        await app.rest('POST', '/forgot-password', { email: member.email });
        const token = tokenOf(await app.nextMail(member.email));
        await resultOf(call('adminUpdateUser', { id: member.id, is_active: false }, asRoot()));
        await resultOf(call('adminUpdateUser', { id: member.id, is_active: true }, asRoot()));
        const reset = await app.rest('POST', '/reset-password', { token, new_password: 'another password' });
        expect(reset.body).toMatchObject({ code: 'invalid_token' });
      });

      test('enabling one that is enabled ends no session', async () => {
        const member = await signUp(app);
        await resultOf(call('adminUpdateUser', { id: member.id, is_active: true }, asRoot()));
        expect(await call('me', undefined, member)).toMatchObject({ ok: true });
      });

      test('making it a superuser is told by mail, once, and works at once', async () => {
        const member = await signUp(app);
        const before = mailsTo(member.email).length;
        const grant = { id: member.id, is_superuser: true };
        expect(await resultOf(call('adminUpdateUser', grant, asRoot()))).toMatchObject({
          is_superuser: true,
        });
        const notice = await app.nextMail(member.email);
        expect(notice.text).not.toMatch(/token=/);
        expect(await call('adminStats', undefined, member)).toMatchObject({ ok: true });
        await resultOf(call('adminUpdateUser', grant, asRoot()));
        await resultOf(call('adminUpdateUser', { id: member.id, is_superuser: false }, asRoot()));
        expect(mailsTo(member.email)).toHaveLength(before + 1);
      });

      test('one whose address is not verified becomes a superuser only when that is said', async () => {
        // A stranger registers with an address of the company and asks to be made a superuser.
        const [id] = await addUsers(app, [{ email: newAddress() }]);
        await users().change(id!, { set: { isVerified: false } });
        const before = await users().find(id!);
        for (const even_unverified of [undefined, null, false]) {
          const input = { id, is_superuser: true, full_name: 'Root', even_unverified };
          expect(await call('adminUpdateUser', input, asRoot())).toEqual({
            ok: false,
            code: 'email_not_verified',
            status: 403,
          });
        }
        expect(await users().find(id!)).toEqual(before);
        const said = { id, is_superuser: true, even_unverified: true };
        expect(await resultOf(call('adminUpdateUser', said, asRoot()))).toMatchObject({
          is_superuser: true,
          is_verified: false,
        });
        // Everything else about it can be changed without.
        const other = { id, is_superuser: true, full_name: 'Root' };
        expect(await call('adminUpdateUser', other, asRoot())).toMatchObject({ ok: true });
        const demoted = { id, is_superuser: false };
        expect(await call('adminUpdateUser', demoted, asRoot())).toMatchObject({ ok: true });
      });

      test('a name is set, trimmed, kept when absent and cleared by null', async () => {
        const { id } = await signUp(app);
        const named = async (input: object) =>
          (await resultOf(call('adminUpdateUser', { id, ...input }, asRoot()))).full_name;
        expect(await named({ full_name: ' Ada ' })).toBe('Ada');
        expect(await named({ is_active: true })).toBe('Ada');
        expect(await named({})).toBe('Ada');
        expect(await named({ full_name: null })).toBeNull();
      });

      test('null for a flag changes nothing', async () => {
        const member = await signUp(app);
        const input = { id: member.id, is_active: null, is_superuser: null };
        const view = await resultOf(call('adminUpdateUser', input, asRoot()));
        expect(view).toMatchObject({ is_active: true, is_superuser: false });
        expect(await call('me', undefined, member)).toMatchObject({ ok: true });
      });

      const forbidden: [string, unknown][] = [
        ['email', 'eve@example.org'],
        ['is_verified', true],
        ['hashed_password', 'x'],
        ['phone_number', '+441234567890'],
        ['is_mfa_enabled', false],
        ['tokens_invalidated_after', null],
        ['created_at', '2020-01-01T00:00:00.000Z'],
        ['last_issued_at', null],
        ['_id', 'x'],
        ['constructor', 'x'],
      ];

      test.each(forbidden)('%s cannot be changed this way', async (field, value) => {
        // An attacker who may change little sends names of columns and hopes that they are stored.
        const [id] = await addUsers(app, [{ email: newAddress() }]);
        const before = await users().find(id!);
        const answer = await call('adminUpdateUser', { id, is_active: true, [field]: value }, asRoot());
        expect(answer).toMatchObject({ ok: false, status: door.name === 'REST' ? 422 : 400 });
        expect(await users().find(id!)).toEqual(before);
      });

      const wrong: [string, object][] = [
        ['a text for a flag', { is_active: 'false' }],
        ['a number for a flag', { is_superuser: 1 }],
        ['an operator for a name', { full_name: { $ne: null } }],
        ['a list for a flag', { is_active: [false] }],
      ];

      test.each(wrong)('%s is refused', async (_, input) => {
        const [id] = await addUsers(app, [{ email: newAddress() }]);
        const before = await users().find(id!);
        expect(await call('adminUpdateUser', { id, ...input }, asRoot())).toMatchObject({ ok: false });
        expect(await users().find(id!)).toEqual(before);
      });
    });
  });
});

/** What login takes of a member. */
const member_ = ({ email, password }: Member) => ({ email, password });
