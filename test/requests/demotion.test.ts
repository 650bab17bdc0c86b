import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { heldAtItsPassword } from '../support/held-check.ts';
import { signUpSuperuser } from '../support/people.ts';

describeEachDriver('a superuser', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { enableAdminRouter: true, enableSms2fa: true } });
  });
  afterAll(() => app?.close());

  const patch = (by: Member, id: string, body: object) =>
    app.rest('PATCH', `/admin/users/${id}`, body, { token: by.token });

  test('a deletion under way when its account is promoted never leaves the service without a superuser', async () => {
    // An attacker who is about to be made the only superuser deletes the account at that moment.
    const { users } = app.gatehouse.repositories;
    const [admin, user] = [await signUpSuperuser(app), await signUp(app)];
    const { reply } = await heldAtItsPassword(
      () => app.rest('DELETE', '/account', { current_password: user.password }, { token: user.token }),
      async () => {
        expect((await patch(admin, user.id, { is_superuser: true })).status).toBe(200);
        expect((await patch(admin, admin.id, { is_superuser: false })).status).toBe(200);
      },
    );
    expect(reply.status).toBe(401);
    expect(await users.countActiveSuperusers()).toBe(1);
    expect(await users.find(user.id)).toMatchObject({ isActive: true, isSuperuser: true });
    await users.remove(user.id);
  });
});
