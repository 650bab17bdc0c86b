import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, logIn, type Member, newPassword, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { isAlive, nextToken, signUpSuperuser } from '../support/people.ts';

describeEachDriver('a disabled account', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { enableAdminRouter: true, enableSms2fa: true } });
  });
  afterAll(() => app?.close());

  const patch = (by: Member, id: string, body: object) =>
    app.rest('PATCH', `/admin/users/${id}`, body, { token: by.token });

  test('an account that is enabled again does not get its old tokens back', async () => {
    // An attacker keeps a stolen session and a reset link until the disabled account is enabled again.
    const { users } = app.gatehouse.repositories;
    const admin = await signUpSuperuser(app);
    const disablings = [
      (id: string) => patch(admin, id, { is_active: false }),
      // As a host may do it, without a cutoff.
      (id: string) => users.change(id, { set: { isActive: false } }),
    ];
    for (const disable of disablings) {
      const member = await signUp(app);
      await app.rest('POST', '/forgot-password', { email: member.email });
      const token = await nextToken(app, member.email);
      await disable(member.id);
      expect(await isAlive(app, member.token)).toBe(false);
      expect((await patch(admin, member.id, { is_active: true })).status).toBe(200);
      expect(await isAlive(app, member.token)).toBe(false);
      const reset = await app.rest('POST', '/reset-password', { token, new_password: newPassword });
      expect([reset.status, reset.body.code]).toEqual([400, 'invalid_token']);
      expect(await isAlive(app, await logIn(app, member))).toBe(true);
    }
    await users.remove(admin.id);
  });
});
