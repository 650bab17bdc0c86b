import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startServer } from '../../src/cli/server.ts';
import { type App, type Member, signUp, startApp } from '../support/app.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const usual = { requestTimeoutMs: 30_000, connections: 10_000 };

/** The server of `svc serve`, and connections to it that misbehave. */
async function open(bounds = usual) {
  const app = await startApp({ settings: { port: 0 } });
  const server = await startServer(app.gatehouse, silent, bounds);
  const { port } = new URL(server.url);
  const sockets: Socket[] = [];
  return {
    app,
    server,
    member: await signUp(app),
    async connect(text = ''): Promise<Socket> {
      const socket = connect(Number(port), '127.0.0.1');
      sockets.push(socket.on('error', () => {}));
      await once(socket, 'connect');
      if (text) socket.write(text);
      return socket;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await server.stop();
      await app.close();
    },
  };
}

type Opened = Awaited<ReturnType<typeof open>>;
let opened: Opened;
afterEach(() => opened?.close());

/** A host that others keep busy still answers this. */
async function expectServed({ server, member }: { server: Opened['server']; app: App; member: Member }) {
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const headers = { Authorization: `Bearer ${member.token}` };
  expect((await fetch(`${server.url}/api/auth/me`, { headers })).status).toBe(200);
}

const unfinished = 'POST /api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

describe('others are served while', () => {
  test('hundreds of clients never finish their headers, their bodies, or reading', async () => {
    // Slowloris: an attacker opens connections and sends next to nothing over each.
    opened = await open();
    const texts = ['', 'GET /api/a', unfinished, `${unfinished}Content-Length: 900\r\n\r\n{"email":`];
    await Promise.all(Array.from({ length: 400 }, (_, i) => opened.connect(texts[i % texts.length])));
    await expectServed(opened);
  });

  test('clients close their half of the connection', async () => {
    opened = await open();
    const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
    const halves = await Promise.all(Array.from({ length: 100 }, () => opened.connect(request)));
    for (const socket of halves) socket.end();
    const answers = await Promise.all(halves.map(async socket => String((await once(socket, 'data'))[0])));
    expect(new Set(answers.map(text => text.split('\r\n')[0]))).toEqual(new Set(['HTTP/1.1 200 OK']));
    await expectServed(opened);
  });

  test('a thousand connections stay open and say nothing', async () => {
    opened = await open();
    await Promise.all(Array.from({ length: 1000 }, () => opened.connect()));
    await expectServed(opened);
  });
});

test.each([
  ['headers', unfinished],
  ['body', `${unfinished}Content-Length: 900\r\n\r\n{"email":`],
])('a client that takes too long over its %s is answered 408 and cut off', async (_, text) => {
  opened = await open({ ...usual, requestTimeoutMs: 60 });
  const socket = await opened.connect(text);
  let answer = '';
  socket.on('data', chunk => {
    answer += chunk;
  });
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test('connections beyond the bound are closed, and there is room again when others leave', async () => {
  opened = await open({ ...usual, connections: 20 });
  const held = await Promise.all(Array.from({ length: 20 }, () => opened.connect()));
  const beyond = await opened.connect();
  await once(beyond, 'close');
  for (const socket of held) socket.destroy();
  await expect
    .poll(() =>
      fetch(`${opened.server.url}/healthz`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
});
