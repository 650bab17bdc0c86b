import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { addressOf, baseUrl } from '../support/oidc.ts';
import { newSubject, signUpSuperuser } from '../support/people.ts';

/** Waits for the notice to an address with this subject. */
async function notice(app: App, to: string, subject: RegExp): Promise<void> {
  while (!subject.test((await app.nextMail(to)).subject));
}

describeEachDriver('the external identities of an account', backend => {
  let external: External;
  let admin: { token: string };
  beforeAll(async () => {
    external = await startExternal({ backend, settings: { enableAdminRouter: true } });
    admin = await signUpSuperuser(external.app);
  });
  afterAll(() => external?.close());

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(external.app);
    });

    test('are seen and unlinked by administrators, and the owner is told', async () => {
      const { app, provider } = external;
      const [member, sub] = [await signUp(app), newSubject()];
      await external.link(member, sub);
      await external.sessionOf({ sub, acr: 'silver', amr: ['pwd', 'otp'] });
      const { items } = await resultOf(call('userIdentities', { id: member.id }, admin));
      expect(items).toEqual([
        {
          ...{ provider: 'google', issuer: provider.issuer, email: addressOf(sub) },
          ...{ linked_at: expect.any(String), last_used_at: expect.any(String) },
          ...{ acr: 'silver', amr: ['pwd', 'otp'] },
        },
      ]);

      const unlink = { id: member.id, provider: 'google' };
      expect((await call('adminUnlinkOAuth', unlink, admin)).ok).toBe(true);
      expect((await resultOf(call('userIdentities', { id: member.id }, admin))).items).toEqual([]);
      await notice(app, member.email, /unlinked/);
      expect(await call('adminUnlinkOAuth', unlink, admin)).toMatchObject({ code: 'not_found', status: 404 });
      // The session goes on; the identity signs somebody else in.
      expect((await external.me(member.token)).id).toBe(member.id);
      const audited = app.logs.filter(({ message }) => message === 'audit').map(({ fields }) => fields);
      expect(audited).toContainEqual(
        expect.objectContaining({ act: 'adminUnlinkOAuth', by: 'admin', subject: member.id, outcome: 'ok' }),
      );
      expect(audited).toContainEqual(
        expect.objectContaining({ act: 'userIdentities', by: 'admin', subject: member.id }),
      );
    });

    test('are removed although they were the last way to sign in: a password can be set by email', async () => {
      const user = await external.me((await external.sessionOf(newSubject()))!);
      expect((await call('adminUnlinkOAuth', { id: user.id, provider: 'google' }, admin)).ok).toBe(true);
      expect(await external.identitiesOf(user)).toEqual([]);
    });

    test('are for superusers alone', async () => {
      const [owner, other] = [await signUp(external.app), await signUp(external.app)];
      await external.link(owner, newSubject());
      for (const by of [owner, other]) {
        const unlink = { id: owner.id, provider: 'google' };
        expect(await call('adminUnlinkOAuth', unlink, by)).toMatchObject({ code: 'forbidden', status: 403 });
        expect(await call('userIdentities', { id: owner.id }, by)).toMatchObject({ code: 'forbidden' });
      }
      expect(await call('userIdentities', { id: owner.id })).toMatchObject({ status: 401 });
      expect(await external.identitiesOf(owner)).toHaveLength(1);
    });
  });
});

test('without a provider there is nothing of it', async () => {
  const app = await startApp({ settings: { baseUrl, enableAdminRouter: true } });
  const { token } = await signUpSuperuser(app);
  const paths = Object.keys((await app.rest('GET', '/openapi.json')).body.paths);
  expect(paths.filter(path => path.includes('identities'))).toEqual([]);
  expect(await app.gatehouse.graphqlSdl()).not.toMatch(/userIdentities|adminUnlinkOAuth/);
  expect((await app.rest('GET', '/admin/users/x/identities', undefined, { token })).status).toBe(404);
  await app.close();
});
