import { createServer } from 'node:http';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createGatehouse } from '../../src/index.ts';

// A host with a durable handler, which tells a receiver of each event; for tests that kill it.

const gatehouse = await createGatehouse();
await gatehouse.installSchema();
gatehouse.on(
  'verification_requested',
  async ({ email, url }, { id }) => {
    const body = JSON.stringify({ type: 'handled', data: { email, url } });
    await fetch(`${process.env.RECEIVER}/handler`, { method: 'POST', headers: { 'webhook-id': id }, body });
  },
  { durable: 'crm' },
);
const server = createServer(gatehouse.handler);
server.listen(0, '127.0.0.1', () => {
  // One that is killed would leave nothing for its successors.
  flushCompileCache();
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void gatehouse.close();
});
