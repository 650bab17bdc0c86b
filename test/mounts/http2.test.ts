import { once } from 'node:events';
import { connect, createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGatehouse, type Gatehouse } from '../../src/index.ts';
import { jwtSecret } from '../support/app.ts';
import { silent } from '../support/embedded.ts';

// HTTP/2 says of a body that there is one by sending it: no header has to (RFC 9113 §8.1).

let gatehouse: Gatehouse;
const server = createServer((req, res) => gatehouse.handler(req as never, res as never));
let origin: string;
beforeAll(async () => {
  const options = { jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', requireVerification: false };
  gatehouse = await createGatehouse({ ...options, logger: silent });
  await gatehouse.installSchema();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await gatehouse?.close();
});

async function post(path: string, type: string, body: string) {
  const session = connect(origin);
  const stream = session.request({ ':method': 'POST', ':path': `/api/auth${path}`, 'content-type': type });
  stream.end(body);
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  const answer = JSON.parse(await text(stream));
  session.close();
  return [headers[':status'], answer.code];
}

test('a body of HTTP/2 is read without a length, and within the same limits', async () => {
  const ada = JSON.stringify({ email: 'ada@example.org', password: 'correct horse battery' });
  expect(await post('/register', 'application/json', ada)).toEqual([201, undefined]);
  expect(await post('/login', 'application/json', ada)).toEqual([200, undefined]);
  expect(await post('/login', 'text/plain', ada)).toEqual([415, 'unsupported_media_type']);
  expect(await post('/login', 'application/json', ' '.repeat(70_000))).toEqual([413, 'body_too_large']);
  expect(await post('/login', 'application/json', '{')).toEqual([400, 'bad_json']);
  expect(await post('/logout', 'application/json', '')).toEqual([401, 'unauthenticated']);
});
