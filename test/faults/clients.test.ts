import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startServer } from '../../src/cli/server.ts';
import { type App, type Member, signUp, startApp } from '../support/app.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const usual = { requestTimeoutMs: 30_000, connections: 16_000 };

/** The server of `svc serve`, and connections to it that misbehave. */
async function open(bounds = usual) {
  const app = await startApp({ settings: { port: 0 } });
  const server = await startServer(app.gatehouse, silent, { bounds });
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

  test('ten thousand connections stay open and say nothing', async () => {
    opened = await open();
    const { port } = new URL(opened.server.url);
    // Of another process, as one may hold too few files for both ends.
    const script = `
      let [begun, open] = [0, 0];
      function one() {
        begun++;
        require('node:net').connect(${port}, '127.0.0.1').on('connect', () => {
          if (++open === 10_000) console.log('open');
          else if (begun < 10_000) one();
        });
      }
      for (let i = 0; i < 200; i++) one();`;
    const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
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

test('a stop waits for what is under way, and not for connections that have asked for nothing', async () => {
  // A browser holds a connection that it has no use for yet, and every restart takes ten seconds.
  opened = await open();
  const silent = await opened.connect();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stopped = opened.server.stop();
  // The one for what is silent, and the one for everything.
  await vi.waitUntil(() => vi.getTimerCount() === 2, 20_000);
  await Promise.all([once(silent, 'close'), vi.advanceTimersByTimeAsync(1000)]);
  await stopped;
});

describe('beyond the bound of connections', () => {
  const bound = 20;
  const asked = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';

  test('the one that was silent for longest makes way, and no other', async () => {
    opened = await open({ ...usual, connections: bound });
    const silent: Socket[] = [];
    for (let i = 1; i < bound; i++) silent.push(await opened.connect());
    const served = await opened.connect(asked);
    await once(served, 'data');
    const makesWay = once(silent[0]!, 'close');
    const late = await opened.connect(asked);
    expect(String(await once(late, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
    await makesWay;
    expect([served, ...silent.slice(1)].map(socket => socket.closed)).toEqual(Array(bound - 1).fill(false));
  });

  test('it makes way too when it has asked for something before', async () => {
    // An attacker asks once over each connection, and then holds it with half of another request.
    opened = await open({ ...usual, connections: bound });
    const held = await Promise.all(Array.from({ length: bound }, () => opened.connect(asked)));
    await Promise.all(held.map(socket => once(socket, 'data')));
    for (const socket of held) socket.write('GET /healthz HTTP/1.1\r\nHost: ');
    const late = await opened.connect(asked);
    expect(String(await once(late, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('new ones are closed while every other is being served, and not once there is room', async () => {
    opened = await open({ ...usual, connections: bound });
    // The server says so when it has begun with a request.
    const busy = `${unfinished}Content-Length: 900\r\nExpect: 100-continue\r\n\r\n`;
    const held = await Promise.all(Array.from({ length: bound }, () => opened.connect(busy)));
    await Promise.all(held.map(socket => once(socket, 'data')));
    await once(await opened.connect(asked), 'close');
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
});
