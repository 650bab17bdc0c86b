import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestGatehouse } from 'gatehouse-auth/testing';
import { GET } from './app/orders/route.ts';

// In memory, with the real rules; of svc.toml it takes what shapes the application.
const gatehouse = await createTestGatehouse({ enableBrowserSessions: true });
// In place of the instance that lib/gatehouse.ts would start.
Object.assign(globalThis, { gatehouse: Promise.resolve(gatehouse) });
after(() => gatehouse.close());

const url = 'http://localhost:3000/orders';

test('a stranger gets 401', async () => {
  assert.equal((await GET(new Request(url))).status, 401);
});

test('people see their own orders', async () => {
  const { user } = await gatehouse.createUser({ email: 'ada@example.org' });
  const headers = { Authorization: `Bearer ${await gatehouse.signIn(user)}` };
  const body: unknown = await (await GET(new Request(url, { headers }))).json();
  assert.deepEqual(body, { customer: user.id, orders: [{ id: 1, item: 'Lantern' }] });
});
