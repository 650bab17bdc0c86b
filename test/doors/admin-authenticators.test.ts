import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { signUpSuperuser, startAdministration } from '../support/people.ts';
import { addFactors, setUpTotp, storePasskey, strongSettings } from '../support/strong.ts';

describeStory('administration of second factors', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    ({ app, root } = await startAdministration(backend, strongSettings));
  });
  afterAll(() => app?.close());

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });

    test('the list is open to superusers alone, and tells a stranger nothing about which ids exist', async () => {
      const name = 'userAuthenticators';
      const member = await signUp(app);
      await addFactors(app, member);
      const thief = await signUp(app);
      const unauthenticated = { ok: false, code: 'unauthenticated', status: 401 };
      expect(await call(name, { id: member.id })).toEqual(unauthenticated);
      const forbidden = { ok: false, code: 'forbidden', status: 403 };
      for (const id of [member.id, thief.id, randomUUID()]) {
        expect(await call(name, { id }, thief)).toEqual(forbidden);
      }
      expect(await app.gatehouse.repositories.authenticators.listByUser(member.id)).toHaveLength(2);
      const unknown = await call(name, { id: randomUUID() }, root);
      expect(unknown).toEqual({ ok: false, code: 'not_found', status: 404 });
    });

    // Shows 63b/4.1#record.
    test('lists the factors of an account as its owner sees them', async () => {
      const member = await signUp(app);
      const list = async () => resultOf(call('userAuthenticators', { id: member.id }, root));
      expect(await list()).toEqual({ items: [], recovery_codes_left: 0 });
      await setUpTotp(app, member, 'Pixel');
      await storePasskey(app, member, 'Yubikey');
      const { body } = await app.rest('GET', '/authenticators', undefined, member);
      const shown = await list();
      expect(shown.items).toMatchObject(body.items);
      expect(shown).toMatchObject({
        items: [
          { kind: 'totp', name: 'Pixel', last_used_at: null },
          { kind: 'passkey', name: 'Yubikey', is_synced: true },
        ],
        recovery_codes_left: 10,
      });
    });

    test('leaves a record of who looked at whose factors', async () => {
      const { id } = await signUp(app);
      const records: object[] = [];
      const stop = app.gatehouse.on('audit', record => void records.push(record));
      await call('userAuthenticators', { id }, root);
      stop();
      const who = { by: 'admin', actor: root.id, subject: id };
      expect(records).toMatchObject([{ act: 'userAuthenticators', outcome: 'ok', ...who }]);
    });

    test('removes every factor of an account, so that its password alone is enough again', async () => {
      const member = await signUp(app);
      await addFactors(app, member);
      const path = `/admin/users/${member.id}/authenticators`;
      const { body: removed } = await app.rest('DELETE', path, undefined, root);
      expect(removed).toMatchObject({ id: member.id, is_mfa_enabled: false, phone_number: null });
      const left = await resultOf(call('userAuthenticators', { id: member.id }, root));
      expect(left).toEqual({ items: [], recovery_codes_left: 0 });
      const { email, password } = member;
      expect((await app.rest('POST', '/login', { email, password })).body).toHaveProperty('access_token');
    });
  });
});

test('does not exist while no authenticators are switched on', async () => {
  const app = await startApp({ settings: { enableAdminRouter: true } });
  const root = await signUpSuperuser(app);
  const { status } = await app.rest('GET', `/admin/users/${root.id}/authenticators`, undefined, root);
  expect(status).toBe(404);
  const schema = await app.gatehouse.graphqlSchema();
  expect(schema.getQueryType()!.getFields()).not.toHaveProperty('userAuthenticators');
  await app.close();
});
