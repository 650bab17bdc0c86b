import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../src/cli/server.ts';
import { type Order, serveConnections } from '../../src/cli/worker.ts';
import { startApp } from '../support/app.ts';

// A worker does not listen: what Node does for a server that does has to hold for it as well.

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const usual = { requestTimeoutMs: 30_000, connections: 20 };

/** A server that is handed its connections, and how to connect to it. */
async function open(bounds = usual) {
  const app = await startApp({ settings: { port: 0 } });
  const supervisor = new EventEmitter();
  const server = await startServer(app.gatehouse, silent, {
    bounds,
    open: server => serveConnections(server, supervisor),
  });
  let handed = 0;
  const acceptor = createServer({ pauseOnConnect: true }, socket => {
    handed++;
    supervisor.emit('message', { order: 'serve' } satisfies Order, socket);
  }).listen(0, '127.0.0.1');
  await once(acceptor, 'listening');
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= server.stop());
  onTestFinished(async () => {
    acceptor.close();
    await stop();
    await app.close();
  });
  return {
    client(text: string): Socket {
      const { port } = acceptor.address() as AddressInfo;
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      socket.write(text);
      return socket;
    },
    stop,
    handed: () => handed,
  };
}

async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', part => {
    text += part;
  });
  await once(socket, 'close');
  return text;
}

const asked = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
const unfinished = 'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

test('a client that takes too long is answered 408 and cut off', async () => {
  const { client } = await open({ ...usual, requestTimeoutMs: 60 });
  expect(await received(client(unfinished))).toMatch(/^HTTP\/1\.1 408 /);
});

test('a client that closes its half of the connection gets its answer', async () => {
  const { client } = await open();
  const socket = client(asked);
  socket.end();
  expect(await received(socket)).toMatch(/^HTTP\/1\.1 200 /);
});

test('a connection serves one request after the other', async () => {
  const { client, handed } = await open();
  const socket = client(asked);
  for (let i = 0; i < 3; i++) {
    const [answer] = await once(socket, 'data');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    socket.write(asked);
  }
  socket.destroy();
  expect(handed()).toBe(1);
});

test('the one that was silent for longest makes way for another', async () => {
  const { client, handed } = await open();
  const silent = Array.from({ length: usual.connections }, () => client(''));
  await expect.poll(handed).toBe(usual.connections);
  const late = client(asked);
  expect((await once(late, 'data'))[0]).toMatch(/^HTTP\/1\.1 200 /);
  await expect.poll(() => silent.filter(socket => socket.closed)).toHaveLength(1);
  for (const socket of [late, ...silent]) socket.destroy();
});

test('a stop waits for a request under way, and closes connections that have none', async () => {
  const { client, stop } = await open();
  const idle = client(asked);
  await once(idle, 'data');
  const busy = client(`${unfinished}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`);
  await once(busy, 'data');
  const stopped = stop();
  await once(idle, 'close');
  const answered = received(busy);
  busy.write('{}');
  expect(await answered).toMatch(/^HTTP\/1\.1 422 [\s\S]*Connection: close/);
  await stopped;
});
