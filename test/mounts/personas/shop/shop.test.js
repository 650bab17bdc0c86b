import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestGatehouse } from 'gatehouse-auth/testing';
import { createApp } from './app.js';

const gatehouse = await createTestGatehouse({ configFile: 'svc.toml', baseUrl: 'http://localhost:8000' });
const server = createApp(gatehouse, { query: async () => ({ rows: [] }) }).listen(0);
after(() => Promise.all([server.close(), gatehouse.close()]));

test('only editors sit at the desk', async () => {
  const { user } = await gatehouse.createUser();
  const headers = { Authorization: `Bearer ${await gatehouse.signIn(user)}` };
  const desk = () => fetch(`http://localhost:${server.address().port}/desk`, { headers });
  assert.equal((await desk()).status, 403);
  await gatehouse.users.update(user.id, { roles: ['editor'] });
  assert.equal((await desk()).status, 200);
});
