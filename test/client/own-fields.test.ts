import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, signUp, startApp } from '../support/app.ts';
import { clientOf, signIn } from './support.ts';

// The client is the same for every configuration, so its types know no own fields (CONTRACT §15.2).

let app: App;
beforeAll(async () => {
  app = await startApp({ settings: { userFields: { vat_number: {} }, roles: ['editor'] } });
});
afterAll(() => app?.close());

test('through REST own fields and roles pass under the names of the configuration', async () => {
  const member = await signUp(app);
  const { client } = clientOf(app, 'rest');
  await signIn(client, member);
  const fields = { vat_number: 'IE6388047V' };
  expect(await client.updateProfile({ fields } as never)).toMatchObject({ fields, roles: [] });
  expect(await client.me()).toMatchObject({ fields, roles: [] });
});

test('through GraphQL nothing else is disturbed by them', async () => {
  const member = await signUp(app);
  const { client } = clientOf(app, 'graphql');
  await signIn(client, member);
  expect(await client.updateProfile({ fullName: 'Ada' })).not.toHaveProperty('fields');
  const fields = { vatNumber: 'IE6388047V' };
  expect(await client.updateProfile({ fields } as never)).toMatchObject({ fullName: 'Ada' });
  expect((await app.gatehouse.users.find(member.id))?.fields).toEqual({ vat_number: 'IE6388047V' });
});
