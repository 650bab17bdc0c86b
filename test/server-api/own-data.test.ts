import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { GatehouseError } from '../../src/errors.ts';
import type { Users } from '../../src/server-api/users.ts';
import { createTestGatehouse } from '../../src/testing/index.ts';
import { type App, logIn, password, startApp } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { newAddress } from '../support/people.ts';

const settings = {
  userFields: {
    company: {},
    seats: { type: 'number' as const, editableBy: 'admin' as const },
    crm_id: { editableBy: 'host' as const, visibleTo: 'host' as const },
  },
  roles: ['editor', 'billing'],
} satisfies ConfigInput;

const refusal = (call: Promise<unknown>): Promise<GatehouseError> =>
  call.then(
    value => Promise.reject(new Error(`It was not refused: ${JSON.stringify(value)}`)),
    error => error,
  );

describeStory('own fields and roles in the server API', backend => {
  let app: App;
  let users: Users;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
    users = app.gatehouse.users;
  });
  afterAll(() => app?.close());

  const own = { fields: { company: 'Analytical', seats: 3, crm_id: 'c-1' }, roles: ['editor'] };

  test('are set at every level when an account is made, and seen whole by the host alone', async () => {
    const email = newAddress();
    const made = await users.create({ email, password, isVerified: true, ...own });
    expect(made).toMatchObject(own);
    expect(await users.find(made.id)).toMatchObject(own);
    expect(await users.findByEmail(email)).toMatchObject(own);
    const token = await logIn(app, { email, password });
    const { body } = await app.rest('GET', '/me', undefined, { token });
    expect([body.fields, body.roles]).toEqual([{ company: 'Analytical', seats: 3 }, ['editor']]);
    expect(JSON.stringify(body)).not.toContain('crm_id');
  });

  test('are changed by name: what is absent stays, null clears, roles are replaced', async () => {
    const { id } = await users.create({ email: newAddress(), ...own });
    const changed = await users.update(id, { fields: { crm_id: 'c-2', company: null } });
    expect(changed).toMatchObject({
      ...{ fields: { company: null, seats: 3, crm_id: 'c-2' }, roles: ['editor'] },
    });
    expect((await users.update(id, { roles: ['billing'] })).roles).toEqual(['billing']);
    expect((await users.list({ role: 'billing' })).items.map(user => user.id)).toContain(id);
    expect((await users.list({ role: 'editor' })).items.map(user => user.id)).not.toContain(id);
  });

  test('that the configuration does not name are refused, and nothing is stored', async () => {
    const email = newAddress();
    for (const wrong of [
      { fields: { shoe_size: 44 } },
      { fields: { seats: 'three' } },
      { roles: ['root'] },
    ]) {
      expect((await refusal(users.create({ email, ...wrong } as never))).code).toBe('invalid_input');
    }
    expect(await users.findByEmail(email)).toBeNull();
  });
});

test('the testing kit makes users with own fields and roles', async () => {
  const gatehouse = await createTestGatehouse({ ...settings });
  const told: unknown[] = [];
  gatehouse.on('user_registered', ({ user }) => void told.push(user.fields));
  try {
    const { user } = await gatehouse.createUser({ fields: { crm_id: 'c-9' }, roles: ['editor'] });
    expect(user.fields).toEqual({ company: null, seats: null, crm_id: 'c-9' });
    // As in production, an event has what the user sees.
    expect(told).toEqual([{ company: null, seats: null }]);
    expect(await gatehouse.users.find(user.id)).toMatchObject({
      ...{ fields: { company: null, seats: null, crm_id: 'c-9' }, roles: ['editor'] },
    });
  } finally {
    await gatehouse.close();
  }
});
