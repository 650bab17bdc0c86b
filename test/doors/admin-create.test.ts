import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { GatehouseError } from '../../src/errors.ts';
import { type App, logIn, type Member, newPassword, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { newAddress, newSubject, nextToken, signUpSuperuser } from '../support/people.ts';
import { listen } from './passwords.ts';

// Accounts that administration makes (CONTRACT §2.2).
describeEachDriver('making an account', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    app = await startApp({
      backend,
      settings: {
        ...{ enableAdminRouter: true, mailsPerAddressPerHour: 2, roles: ['editor', 'billing'] },
        userFields: { company: { required: true }, remark: { editableBy: 'admin', visibleTo: 'admin' } },
      },
    });
    const account = { email: newAddress(), password: 'correct horse battery' };
    const { id } = await app.gatehouse.users.create({ ...account, isVerified: true, isSuperuser: true });
    root = { ...account, id, token: await logIn(app, account) };
  });
  afterAll(() => app?.close());

  const signIn = (email: string, password: string) => app.rest('POST', '/login', { email, password });
  const audited = (email: string | null) =>
    app.logs
      .map(({ fields }) => fields as { act?: string; subject?: string | null })
      .filter(({ act, subject }) => act === 'adminCreateUser' && subject === email);

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app, 'roles fields { company remark }');
    });
    const create = (input: object, { token } = root) => call('adminCreateUser', input, { token });

    test('invites its owner, who chooses the password and has verified the address by that', async () => {
      const email = newAddress();
      const heard = listen(app, 'user_registered');
      const fields = { remark: 'from the fair', company: null };
      const given = { email: email.toUpperCase(), full_name: 'Ada', fields, roles: ['billing', 'editor'] };
      const user = await resultOf(create(given));
      expect(user).toMatchObject({
        ...{ email, full_name: 'Ada', is_verified: false, is_superuser: false, is_active: true },
        ...{ roles: ['editor', 'billing'], fields: { company: null, remark: 'from the fair' } },
      });
      expect(heard).toMatchObject([{ user: { id: user.id } }]);
      expect(audited(user.id)).toMatchObject([
        {
          ...{ by: 'admin', actor: root.id, outcome: 'ok' },
          changes: ['fields.remark', 'roles.editor:true', 'roles.billing:true', 'invited'],
        },
      ]);
      expect((await signIn(email, newPassword)).body.code).toBe('invalid_credentials');
      const token = await nextToken(app, email);
      const accepted = { token, password: newPassword };
      expect((await app.rest('POST', '/accept-invitation', accepted)).status).toBe(200);
      expect((await signIn(email, newPassword)).status).toBe(200);
    });

    test('sends nothing where nobody is to be invited', async () => {
      const invited = listen(app, 'user_invited');
      const email = newAddress();
      const user = await resultOf(create({ email, is_verified: true, invite: false }));
      expect(user).toMatchObject({ is_verified: true, roles: [] });
      expect(invited).toEqual([]);
      expect(audited(user.id)).toMatchObject([{ changes: ['is_verified:true'] }]);
    });

    test('removes a registration that is pending: its link and its password are void', async () => {
      const email = newAddress();
      const registration = { email, password: newPassword, fields: { company: 'Acme' } };
      await app.rest('POST', '/register', registration);
      const link = tokenOf(await app.nextMail(email));
      await resultOf(create({ email, invite: false }));
      expect((await app.rest('POST', '/verify', { token: link })).body.code).toBe('invalid_token');
      expect((await signIn(email, newPassword)).body.code).toBe('invalid_credentials');
    });

    test('makes nothing of an address that is taken, or that has had as many invitations as it may get', async () => {
      const taken = await create({ email: root.email });
      expect(taken).toMatchObject({ ok: false, code: 'email_taken', status: 409 });
      const email = newAddress();
      for (let i = 0; i < 2; i++) {
        const { id } = await resultOf(create({ email }));
        await app.gatehouse.users.remove(id);
      }
      const refused = await create({ email });
      expect(refused).toMatchObject({ ok: false, code: 'rate_limited', status: 429, retryAfter: 3600 });
      expect(await app.gatehouse.users.findByEmail(email)).toBeNull();
      expect(await create({ email, invite: false })).toMatchObject({ ok: true });
    });

    test('is repeated as a whole where what follows the account has failed', async () => {
      const email = newAddress();
      const { challenges, pending } = app.gatehouse.repositories;
      const failing = vi.spyOn(pending, 'remove').mockRejectedValueOnce(new GatehouseError('unavailable'));
      expect(await create({ email })).toMatchObject({ ok: false, code: 'unavailable', status: 503 });
      failing.mockRestore();
      const left = (await app.gatehouse.users.findByEmail(email))!;
      expect(await create({ email })).toMatchObject({ ok: false, code: 'unavailable', retryAfter: 10 });
      app.clock.advance(10_000);
      const made = await resultOf(create({ email, full_name: 'Ada' }));
      expect(made).toMatchObject({ email, full_name: 'Ada' });
      expect(made.id).not.toBe(left.id);
      const accepted = { token: await nextToken(app, email), password: newPassword };
      expect((await app.rest('POST', '/accept-invitation', accepted)).status).toBe(200);
      expect(await challenges.findOfUser(made.id, 'account_creation')).toBeNull();
      app.clock.advance(10_000);
      const again = await create({ email, invite: false });
      expect(again).toMatchObject({ ok: false, code: 'email_taken' });
    });

    test('removes no unfinished account for which something has been stored since', async () => {
      const { oauth_identities, pending } = app.gatehouse.repositories;
      const email = newAddress();
      const failing = vi.spyOn(pending, 'remove').mockRejectedValueOnce(new GatehouseError('unavailable'));
      expect(await create({ email })).toMatchObject({ ok: false, code: 'unavailable' });
      failing.mockRestore();
      const left = (await app.gatehouse.users.findByEmail(email))!;
      await oauth_identities.add({
        ...{
          id: randomUUID(),
          provider: 'google',
          issuer: 'https://issuer.example',
          subjectId: newSubject(),
        },
        ...{ userId: left.id, email, linkedAt: app.clock.now(), lastUsedAt: null },
      });
      app.clock.advance(10_000);
      expect(await create({ email })).toMatchObject({ ok: false, code: 'email_taken' });
      expect(await app.gatehouse.users.findByEmail(email)).toMatchObject({ id: left.id });
      expect(await oauth_identities.listByUser(left.id)).toHaveLength(1);
    });

    test('makes no superuser, no password and no role that is not one', async () => {
      const email = newAddress();
      for (const more of [{ is_superuser: true }, { password: newPassword }, { roles: ['king'] }])
        expect((await create({ email, ...more })).ok).toBe(false);
      const reserved = await create({ email: 'ada@oauth.invalid' });
      expect(reserved).toMatchObject({ ok: false, code: 'invalid_input' });
      const member = await resultOf(create({ email, is_verified: true }));
      const accepted = { token: await nextToken(app, email), password: newPassword };
      await app.rest('POST', '/accept-invitation', accepted);
      const { access_token: token } = (await signIn(email, newPassword)).body;
      expect(member.email).toBe(email);
      const refused = await create({ email: newAddress() }, { ...root, token });
      expect(refused).toMatchObject({ ok: false, code: 'forbidden' });
    });
  });
});

// Shows asvs/7.5.3.
test('asks for a recent sign-in while administration does', async () => {
  const settings = { enableAdminRouter: true, recentSignInForAdministration: true };
  const app = await startApp({ settings });
  const { token } = await signUpSuperuser(app);
  const create = () => app.rest('POST', '/admin/users', { email: newAddress() }, { token });
  const made = await create();
  expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
  app.clock.advance(3_601_000);
  expect((await create()).body.code).toBe('recent_sign_in_required');
  await app.close();
});
