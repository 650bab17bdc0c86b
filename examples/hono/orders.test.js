import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { serve } from '@hono/node-server';
import { createTestGatehouse } from 'gatehouse-auth/testing';
import { createApp } from './app.js';

// In memory, with the real rules; of svc.toml it takes what shapes the application.
const gatehouse = await createTestGatehouse({ enableBrowserSessions: true });
const server = serve({ fetch: createApp(gatehouse).fetch, port: 0 });
const orders = () => `http://localhost:${server.address().port}/orders`;
after(() => Promise.all([server.close(), gatehouse.close()]));

test('a stranger gets 401', async () => {
  assert.equal((await fetch(orders())).status, 401);
});

test('people see their own orders', async () => {
  const { user } = await gatehouse.createUser({ email: 'ada@example.org' });
  const headers = { Authorization: `Bearer ${await gatehouse.signIn(user)}` };
  const body = await (await fetch(orders(), { headers })).json();
  assert.deepEqual(body, { customer: user.id, orders: [{ id: 1, item: 'Lantern' }] });
});
