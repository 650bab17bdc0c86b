import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { newAddress } from '../support/people.ts';
import { addUsers } from './administration.ts';

// Roles (CONTRACT §15.2), through both doors.

const settings = { enableAdminRouter: true, roles: ['editor', 'billing'] };

describeEachDriver('roles', backend => {
  let app: App;
  let administrator: Member;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
    administrator = await signUp(app);
    await app.gatehouse.repositories.users.change(administrator.id, { set: { isSuperuser: true } });
  });
  afterAll(() => app?.close());

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app, 'roles');
    });
    const give = (id: string, roles: unknown) =>
      call('adminUpdateUser', { id, roles }, { token: administrator.token });

    test('are given and taken by administrators, and seen by their owner at once', async () => {
      const { id, token } = await signUp(app);
      const mine = async () => (await resultOf(call('me', undefined, { token }))).roles;
      expect(await mine()).toEqual([]);
      // In the order of the configuration.
      expect((await resultOf(give(id, ['billing', 'editor']))).roles).toEqual(['editor', 'billing']);
      expect(await mine()).toEqual(['editor', 'billing']);
      expect((await resultOf(give(id, ['billing']))).roles).toEqual(['billing']);
      expect((await resultOf(give(id, null))).roles).toEqual(['billing']);
      expect((await resultOf(give(id, []))).roles).toEqual([]);
      expect(await mine()).toEqual([]);
      const changes = app.logs
        .map(({ fields }) => fields as { act?: string; subject?: string; changes?: string[] })
        .filter(({ act, subject }) => act === 'adminUpdateUser' && subject === id)
        .map(record => record.changes);
      expect(changes).toEqual([
        ['roles.editor:true', 'roles.billing:true'],
        ['roles.editor:false'],
        [],
        ['roles.billing:false'],
      ]);
    });

    test('that the configuration does not name are kept and not shown', async () => {
      const { id, token } = await signUp(app);
      const { users } = app.gatehouse.repositories;
      await users.change(id, { roles: { known: [], given: ['former'] } });
      expect((await resultOf(give(id, ['editor']))).roles).toEqual(['editor']);
      expect((await resultOf(call('me', undefined, { token }))).roles).toEqual(['editor']);
      expect((await users.find(id))?.roles?.toSorted()).toEqual(['editor', 'former']);
    });

    test('are not changed when the change is refused', async () => {
      const { id } = administrator;
      const answer = await call(
        'adminUpdateUser',
        { id, is_superuser: false, roles: ['editor'] },
        { token: administrator.token },
      );
      expect(answer).toMatchObject({ ok: false, code: 'last_superuser' });
      expect((await app.gatehouse.repositories.users.find(id))?.roles ?? []).toEqual([]);
    });
  });

  test('filter the list of users, together with the other filters', async () => {
    const emails = Array.from({ length: 5 }, () => newAddress());
    const ids = await addUsers(
      app,
      emails.map(email => ({ email, fullName: 'Filtered Person' })),
    );
    const { token } = administrator;
    for (const id of ids.slice(0, 4)) {
      await app.rest('PATCH', `/admin/users/${id}`, { roles: ['billing'] }, { token });
    }
    await app.rest('PATCH', `/admin/users/${ids[1]}`, { is_active: false }, { token });
    const found = async (query: string) => {
      const { body } = await app.rest('GET', `/admin/users?${query}`, undefined, { token });
      return [
        body.items.map((user: { email: string }) => emails.indexOf(user.email)),
        body.total,
        body.has_more,
      ];
    };
    expect(await found('role=billing')).toEqual([[3, 2, 1, 0], 4, false]);
    expect(await found('role=billing&limit=3')).toEqual([[3, 2, 1], 4, true]);
    expect(await found('role=billing&limit=3&skip=3')).toEqual([[0], 4, false]);
    expect(await found('role=billing&is_active=true')).toEqual([[3, 2, 0], 3, false]);
    expect(await found('role=billing&search=filtered')).toEqual([[3, 2, 1, 0], 4, false]);
    expect(await found('role=billing&search=nobody')).toEqual([[], 0, false]);
    expect(await found('search=filtered')).toEqual([[4, 3, 2, 1, 0], 5, false]);

    const query = `query ($after: String, $role: String) {
      users(first: 2, role: $role, after: $after) { nodes { email roles } totalCount pageInfo { hasNextPage endCursor } } }`;
    const page = async (after: string | null, role: string | null = 'billing') =>
      (await app.graphql(query, { after, role }, { token })).body;
    const first = (await page(null)).data.users;
    expect(first).toMatchObject({ nodes: [{ roles: ['billing'] }, { roles: ['billing'] }], totalCount: 4 });
    const second = (await page(first.pageInfo.endCursor)).data.users;
    const seen = [...first.nodes, ...second.nodes].map(user => emails.indexOf(user.email));
    expect([seen, second.pageInfo.hasNextPage]).toEqual([[3, 2, 1, 0], false]);
    expect((await page(null, null)).data.users.totalCount).toBeGreaterThan(4);

    const refused = { code: 'invalid_input', status: 422 };
    const errors = [{ path: 'role', message: 'is not a role of this application', rule: 'role' }];
    expect((await app.rest('GET', '/admin/users?role=root', undefined, { token })).body).toMatchObject({
      ...{ ...refused, errors },
    });
    expect((await page(null, 'root')).errors[0].extensions).toMatchObject({ ...refused, errors });
  });
});
