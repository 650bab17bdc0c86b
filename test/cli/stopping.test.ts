import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logRecords, serve, svc } from './support.ts';

const onFile = { SVC_DATABASE_URL: 'sqlite:///./svc.db' };

/** The status of a request over a connection of its own, or the code of the error. */
async function statusOf(url: string): Promise<number | string | undefined> {
  const sent = request(url, { agent: false }).end();
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  return answered.then(
    ([answer]) => answer.resume().statusCode,
    (error: NodeJS.ErrnoException) => error.code,
  );
}

/** A request whose headers have arrived and whose body has not, and how to finish it. */
async function unfinished(url: string) {
  const headers = { 'Content-Type': 'application/json', Expect: '100-continue' };
  const sent = request(url, { method: 'POST', agent: false, headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => {});
  sent.flushHeaders();
  await once(sent, 'continue');
  return async () => {
    sent.end('{"email": "ada@example.org", "password": "correct horse"}');
    const [answer] = await answered;
    answer.resume();
    return answer.statusCode;
  };
}

/** The process ids of the workers that serve, in the order of their starts. */
const workersIn = (output: string) =>
  logRecords(output).flatMap(({ msg, pid }) => (msg === 'a worker serves' ? [pid as number] : []));

type Server = Awaited<ReturnType<typeof serve>>;

/** A server for all tests of a group. */
function shared(args: string[], env: Record<string, string> = {}): () => Server {
  let server: Server;
  let end: () => void;
  beforeAll(async () => {
    server = await serve(args, { env, until: how => (end = how) });
  });
  afterAll(() => end?.());
  return () => server;
}

describe('a server without more settings', () => {
  const usual = shared([]);

  test('keeps connections for keep_alive_seconds, which clients are told', async () => {
    expect((await fetch(`${usual().origin}/healthz`)).headers.get('Keep-Alive')).toBe('timeout=65');

    const short = await serve([], { env: { SVC_KEEP_ALIVE_SECONDS: '1' } });
    const socket = connect(Number(new URL(short.origin).port), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      received += part;
    });
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'end');
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Keep-Alive: timeout=1\r\n/);
  });

  test('goes on after SIGHUP, which has no effect without workers', async () => {
    const { origin, signal, written } = usual();
    signal('SIGHUP');
    await written(/"level":40.*SIGHUP has no effect without --workers/);
    expect(await statusOf(`${origin}/healthz`)).toBe(200);
  });

  /** All that the server answers to these lines before it closes the connection. */
  async function answerTo(...lines: string[]): Promise<string> {
    const socket = connect(Number(new URL(usual().origin).port), '127.0.0.1');
    socket.write([...lines, '', ''].join('\r\n'));
    return text(socket);
  }

  // RFC 9112 §3.2
  test.each([
    ['two hosts', ['Host: a', 'host: b'], 400],
    ['one host twice', ['Host: a', 'Host: a'], 400],
    ['no host', [], 400],
    ['one host', ['Host: a', 'X-Host: b'], 200],
  ])('answers a request that has %s', async (_, hosts, status) => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await answerTo(`GET ${path} HTTP/1.1`, 'Connection: close', ...hosts);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answer).toMatch(/\r\nConnection: close\r\n/);
    }
  });

  test('ends the connection of a request with two hosts, so that what follows it is not read', async () => {
    const next = ['GET /healthz HTTP/1.1', 'Host: a'];
    const answer = await answerTo('GET /healthz HTTP/1.1', 'Host: a', 'Host: b', '', ...next);
    expect(answer.match(/^HTTP/gm)).toEqual(['HTTP']);
  });
});

describe('shutdown_delay_seconds', () => {
  test.each([[[]], [['--workers', '1']]])('first ends readiness, and requests are served: %j', async args => {
    const env = { ...onFile, SVC_SHUTDOWN_DELAY_SECONDS: '4' };
    const { origin, api, stop, written } = await serve(args, { env });
    const agent = new Agent({ keepAlive: true });
    const kept = request(`${origin}/readyz`, { agent }).end();
    const [ready] = (await once(kept, 'response')) as [IncomingMessage];
    expect(ready.resume().statusCode).toBe(200);

    const ended = stop();
    await written(/"stopping"/);
    // A worker hears of it a moment later.
    await expect.poll(() => statusOf(`${origin}/readyz`)).toBe(503);
    expect(await Promise.all([`${origin}/healthz`, `${api}/me`].map(statusOf))).toEqual([200, 401]);
    // Open connections are moved to other processes.
    const again = request(`${origin}/healthz`, { agent }).end();
    const [answer] = (await once(again, 'response')) as [IncomingMessage];
    expect([answer.resume().statusCode, answer.headers.connection]).toEqual([200, 'close']);
    agent.destroy();
    expect((await ended).code).toBe(0);
    expect(await statusOf(`${origin}/healthz`)).toBe('ECONNREFUSED');
  });

  test.each([[[]], [['--workers', '1']]])('is not waited for after a second signal: %j', async args => {
    const env = { ...onFile, SVC_SHUTDOWN_DELAY_SECONDS: '60' };
    const { origin, signal, stop, written } = await serve(args, { env });
    signal('SIGINT');
    await written(/"stopping"/);
    expect((await stop()).code).toBeNull();
    await expect.poll(() => statusOf(`${origin}/healthz`)).toBe('ECONNREFUSED');
  });

  test('of a worker that is replaced does not end readiness: another serves the same port', async () => {
    const env = { ...onFile, SVC_SHUTDOWN_DELAY_SECONDS: '1' };
    const { origin, signal, written, stop } = await serve(['--workers', '1'], { env });
    signal('SIGHUP');
    const statuses = new Set<unknown>();
    let replaced = false;
    written(/"replaced the workers"/).then(() => {
      replaced = true;
    });
    // A loop without a pause would take the processor from those that start.
    for (; !replaced; await sleep(10)) statuses.add(await statusOf(`${origin}/readyz`));
    expect([...statuses]).toEqual([200]);
    expect((await stop()).code).toBe(0);
  });
});

describe('signals to a single worker and its supervisor', () => {
  const server = shared(['--workers', '1'], onFile);

  test('SIGHUP to every process of the service replaces the worker, which does not end by itself', async () => {
    const { origin, written, signal } = server();
    const { input } = await written(/"a worker serves"/);
    process.kill(workersIn(input!)[0]!, 'SIGHUP');
    signal('SIGHUP');
    const { input: output } = await written(/"replaced the workers"/);
    expect(new Set(workersIn(output!)).size).toBe(2);
    expect(output).not.toContain('a worker died');
    expect(await statusOf(`${origin}/readyz`)).toBe(200);
  });

  // The last one, as it ends them.
  test('SIGTERM to every process of the service lets requests finish', async () => {
    // A service manager signals all of them, and then the supervisor its workers once more.
    const { api, stop, written } = server();
    const { input } = await written(/"a worker serves"/);
    const pid = workersIn(input!).at(-1)!;
    const finish = await unfinished(`${api}/login`);
    process.kill(pid, 'SIGTERM');
    const ended = stop();
    await written(/"stopping"[\s\S]*"stopping"/);
    process.kill(pid, 'SIGTERM');
    process.kill(pid, 'SIGINT');
    expect(await finish()).toBe(401);
    const { code, output } = await ended;
    expect(code).toBe(0);
    expect(output).not.toContain('a worker died');
  });
});

test.each<[string[], Record<string, string>, boolean]>([
  [['--port', '9000'], {}, true],
  [[], { SVC_PORT: '9000' }, true],
  [['--port', '80'], { SVC_BASE_URL: 'http://localhost' }, false],
  [['--port', '8000', '--host', '127.0.0.1'], {}, false],
  [['--port', '0'], {}, false],
  [['--port', '9000'], { SVC_BASE_URL: 'https://accounts.example.org' }, false],
  [['--port', '9000', '--dev'], {}, false],
  [[], { SVC_BASE_URL: 'http://localhost:3000' }, false],
])('serve %j with %j warns of links to another port: %s', async (args, settings, isWarned) => {
  // It ends before it listens.
  const env = { SVC_BEHIND_PROXY: 'true', ...settings };
  const { stderr } = await svc(['serve', ...args], { env });
  const warnings = stderr.split('\n').filter(line => line.includes('this server listens on'));
  const warning =
    'warning: Links in emails and redirects lead to http://localhost:8000, and this server listens on 127.0.0.1:9000: set base_url (SVC_BASE_URL) unless something forwards to it.';
  expect(warnings).toEqual(isWarned ? [warning] : []);
});

test('behind_proxy without trusted_proxies is refused, as everybody would be one client', async () => {
  const { code, stdout, stderr } = await svc(['serve'], { env: { SVC_BEHIND_PROXY: 'true' } });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/behind_proxy is on, but trusted_proxies is empty/);
  const { stop } = await serve([], {
    env: { SVC_BEHIND_PROXY: 'true', SVC_TRUSTED_PROXIES: '127.0.0.1' },
  });
  expect((await stop()).code).toBe(0);
});
