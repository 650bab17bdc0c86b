import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, password } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Answer, type Call, doors, doorsOn, resultOf } from '../support/doors.ts';
import { signUpSuperuser, startAdministration } from '../support/people.ts';

describeEachDriver('the last active superuser', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    ({ app, root } = await startAdministration(backend));
  });
  afterAll(() => app?.close());
  const last = { ok: false, code: 'last_superuser', status: 409 };
  const users = () => app.gatehouse.repositories.users;

  describe.each(doorsOn(backend))('through $name', door => {
    test('is neither disabled, nor demoted, nor deleted, by others or by itself', async () => {
      const call = door.at(app);
      const before = await users().find(root.id);
      for (const change of [
        { is_active: false },
        { is_superuser: false },
        { is_active: false, is_superuser: false },
      ]) {
        expect(await call('adminUpdateUser', { id: root.id, ...change }, root)).toEqual(last);
      }
      expect(await call('adminDeleteUser', { id: root.id }, root)).toEqual(last);
      const leave = await app.rest('DELETE', '/account', { current_password: password }, root);
      expect(leave.body).toMatchObject({ code: 'last_superuser', status: 409 });
      expect(await users().find(root.id)).toEqual(before);
      expect(await call('me', undefined, root)).toMatchObject({ ok: true });
    });

    test('can change its name, and stays what it is when told so', async () => {
      const call = door.at(app);
      const input = { id: root.id, is_active: true, is_superuser: true, full_name: 'Root' };
      expect(await call('adminUpdateUser', input, root)).toMatchObject({
        ok: true,
        value: { full_name: 'Root' },
      });
    });

    test('is not counted with those who are disabled', async () => {
      const call = door.at(app);
      const other = await signUpSuperuser(app);
      await resultOf(call('adminUpdateUser', { id: other.id, is_active: false }, root));
      expect(await call('adminDeleteUser', { id: root.id }, root)).toEqual(last);
      // A disabled one holds nothing up.
      expect(await call('adminDeleteUser', { id: other.id }, root)).toMatchObject({ ok: true });
    });

    test('may go when there is another', async () => {
      const call = door.at(app);
      const other = await signUpSuperuser(app);
      expect(await call('adminUpdateUser', { id: other.id, is_superuser: false }, other)).toMatchObject({
        ok: true,
      });
      const third = await signUpSuperuser(app);
      expect(await call('adminDeleteUser', { id: third.id }, third)).toMatchObject({ ok: true });
    });
  });

  const removals: [string, (call: Call, by: Member, id: string) => Promise<Answer>][] = [
    ['disable', (call, by, id) => call('adminUpdateUser', { id, is_active: false }, by)],
    ['demote', (call, by, id) => call('adminUpdateUser', { id, is_superuser: false }, by)],
    ['delete', (call, by, id) => call('adminDeleteUser', { id }, by)],
  ];

  test.each(removals)('is left when two %s each other at once', async (name, remove) => {
    // Two superusers who fell out, or one attacker with two sessions, lock everybody out of administration.
    const [restDoor, graphqlDoor] = doors.map(door => door.at(app)) as [Call, Call];
    await users().change(root.id, { set: { isSuperuser: false } });
    let one = await signUpSuperuser(app);
    let two = await signUpSuperuser(app);
    const rounds = name === 'delete' ? 10 : 20;
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all([remove(restDoor, one, two.id), remove(graphqlDoor, two, one.id)]);
      expect(await users().countActiveSuperusers()).toBeGreaterThan(0);
      const allowed = ['last_superuser', 'unauthenticated', 'forbidden'];
      for (const answer of answers) {
        if (!answer.ok) expect(allowed).toContain(answer.code);
      }
      // Both are put back for the next round; an account that was ended or deleted is made again.
      [one, two] = [await restored(one), await restored(two)];
    }
    await users().change(root.id, { set: { isSuperuser: true } });
    for (const { id } of [one, two]) await users().remove(id);

    async function restored(member: Member): Promise<Member> {
      if (!(await users().find(member.id))) return signUpSuperuser(app);
      await users().change(member.id, { set: { isActive: true, isSuperuser: true } });
      return { ...member, token: await logIn(app, member) };
    }
  });
});
