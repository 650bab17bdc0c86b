import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import {
  administration,
  type Client,
  createClient,
  type NoOwnData,
  type User,
} from '../../src/client/index.ts';
import type { UseSession } from '../../src/react/index.ts';
import { type App, password, signUp, startApp } from '../support/app.ts';
import { newAddress, nextToken, signUpSuperuser } from '../support/people.ts';
import { clientOf, interfaces, refusalOf, signIn } from './support.ts';

// Own fields and roles of a server, in a client that was told of them.

const own = {
  userFields: { company: 'string', line_2: 'string', birthday: 'date', credit: 'number', news: 'boolean' },
  roles: ['editor', 'billing'],
} as const;

let app: App;
beforeAll(async () => {
  app = await startApp({
    settings: {
      userFields: {
        ...{ company: {}, line_2: {}, birthday: { type: 'date' }, news: { type: 'boolean' } },
        credit: { type: 'number', editableBy: 'admin' },
      },
      roles: ['editor', 'billing'],
      enableAdminRouter: true,
    },
  });
});
afterAll(() => app?.close());

const nothing = { company: null, line_2: null, birthday: null, credit: null, news: null };

/** A client that knows what the server adds, through one interface. */
function knowing(door: (typeof interfaces)[number]) {
  const { client: _, storage, ended } = clientOf(app, door);
  return { client: createClient({ url: app.url, door, storage, with: [administration], ...own }), ended };
}

describe.each(interfaces)('own fields and roles, through %s', door => {
  test('are registered, read and changed by the names of the configuration', async () => {
    const { client } = knowing(door);
    const email = newAddress();
    await client.register({ email, password, fields: { company: 'Acme', line_2: 'Floor 3' } });
    await client.verify({ token: await nextToken(app, email) });
    await client.login({ email, password });
    const user = await client.me();
    expect([user.fields, user.roles]).toEqual([{ ...nothing, company: 'Acme', line_2: 'Floor 3' }, []]);
    const changed = await client.updateProfile({
      fields: { line_2: null, birthday: '1990-12-24', news: true },
    });
    expect(changed.fields).toEqual({ ...nothing, company: 'Acme', birthday: '1990-12-24', news: true });
  });

  test('are set by administrators, who list by role', async () => {
    const { client } = knowing(door);
    await signIn(client, await signUpSuperuser(app));
    const { id } = await signUp(app);
    const updated = await client.adminUpdateUser({ id, roles: ['billing'], fields: { credit: 5.5 } });
    expect([updated.roles, updated.fields.credit]).toEqual([['billing'], 5.5]);
    const listed = await client.users({ role: 'billing', limit: 200 });
    expect(listed.items.every(user => user.roles.includes('billing'))).toBe(true);
    expect(listed.items.map(user => user.id)).toContain(id);
    expect((await client.user({ id })).fields.credit).toBe(5.5);
  });

  test('that somebody may not set are refused', async () => {
    const { client } = knowing(door);
    await signIn(client, await signUp(app));
    const refusal = await refusalOf(client.updateProfile({ fields: { credit: 1 } }));
    expect(refusal.code).toBe(door === 'rest' ? 'invalid_input' : 'invalid_document');
    expect((await client.me()).fields.credit).toBeNull();
  });

  test('are not asked for by a client that was not told of them', async () => {
    const { client } = clientOf(app, door);
    await signIn(client, await signUp(app));
    expect(await client.me()).toMatchObject({ isVerified: true });
  });
});

test('types follow from what a client is told', () => {
  const client = createClient({ url: '/api/auth', door: 'graphql', ...own });
  type Me = Awaited<ReturnType<(typeof client)['me']>>;
  expectTypeOf<Me['fields']>().toEqualTypeOf<{
    company: string | null;
    line_2: string | null;
    birthday: string | null;
    credit: number | null;
    news: boolean | null;
  }>();
  expectTypeOf<Me['roles']>().toEqualTypeOf<('editor' | 'billing')[]>();
  expectTypeOf<UseSession<typeof client>['user']>().toEqualTypeOf<Me | null>();
  expectTypeOf(client).toExtend<Client>();
  const plain = createClient({ url: '/api/auth', door: 'rest' });
  expectTypeOf(plain).toEqualTypeOf<Client<NoOwnData>>();
  expectTypeOf<Awaited<ReturnType<Client['me']>>>().toExtend<User>();
  const wrong = () => [
    // @ts-expect-error There is no such field.
    client.updateProfile({ fields: { compani: 'Acme' } }),
    // @ts-expect-error The field is a text.
    client.updateProfile({ fields: { company: 5 } }),
    // @ts-expect-error There is no such role.
    client.users({ role: 'editr' }),
    // @ts-expect-error There is no such option.
    createClient({ url: '', door: 'rest', onSesionEnded: () => {} }),
    // @ts-expect-error There is no such type.
    createClient({ url: '', door: 'rest', userFields: { company: 'text' } }),
    // @ts-expect-error This client was told of no fields.
    plain.me().then(user => user.fields),
  ];
  expect(wrong).toBeTypeOf('function');
});
