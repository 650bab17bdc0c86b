import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createGatehouse } from '../../src/gatehouse.ts';
import { breakables } from '../support/breakable.ts';
import { listen } from '../support/listening.ts';
import type { ServerHandle } from '../support/servers.ts';

const ada = { email: 'ada@example.org', password: 'correct horse' };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** What a client sees of an answer, and how long it waited. */
interface Answer {
  status: number;
  code?: string;
  retryAfter: string | null;
  ms: number;
}

/** An instance behind a server of its own, with one user who is signed in. */
async function openHost(databaseUrl: string) {
  const gatehouse = await createGatehouse({
    databaseUrl,
    jwtSecret: 'a signing secret of the outage tests',
    requireVerification: false,
    mailer: { send: async () => {} },
    logger: silent,
  });
  await gatehouse.installSchema();
  const site = await listen(express().use(gatehouse.config.apiPrefix, gatehouse.router));
  const base = `${site.origin}${gatehouse.config.apiPrefix}`;

  async function call(method: string, path: string, body?: object, token?: string) {
    const startedAt = performance.now();
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      body: body && JSON.stringify(body),
    });
    const json = (await response.json()) as { code?: string; access_token?: string };
    const ms = performance.now() - startedAt;
    const retryAfter = response.headers.get('Retry-After');
    return { status: response.status, code: json.code, retryAfter, ms, token: json.access_token };
  }

  let newcomers = 0;
  await call('POST', '/register', ada);
  const { token } = await call('POST', '/login', ada);
  const requests: Record<string, () => Promise<Answer>> = {
    'POST /login': () => call('POST', '/login', ada),
    'GET /me': () => call('GET', '/me', undefined, token),
    'POST /register': () =>
      call('POST', '/register', { ...ada, email: `newcomer-${++newcomers}@example.org` }),
    'POST /resend-verification': () => call('POST', '/resend-verification', { email: ada.email }),
  };
  return {
    requests,
    /** One request of each kind at once, as `kind: status`. */
    async statuses(): Promise<string[]> {
      const all = Object.entries(requests).map(async ([name, send]) => `${name}: ${(await send()).status}`);
      return Promise.all(all);
    },
    async close() {
      await site.close();
      await gatehouse.close();
    },
  };
}

type Host = Awaited<ReturnType<typeof openHost>>;

const served = ['POST /login: 200', 'GET /me: 200', 'POST /register: 201', 'POST /resend-verification: 202'];

/** CONTRACT §4.5: refused soon, as unavailable; a busy machine takes longer than the three seconds, a driver's own limits half a minute. */
function expectRefused(answers: Answer[]): void {
  expect(answers.map(({ status, code }) => `${status} ${code}`)).toEqual(
    answers.map(() => '503 unavailable'),
  );
  expect(answers.filter(({ retryAfter }) => !/^[1-9]\d*$/.test(retryAfter ?? ''))).toEqual([]);
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(15_000);
}

/** The databases are tested side by side, but each suffers one outage at a time. */
const inTurn = { concurrent: false };

describe.for(breakables)('while the database is away ($name)', { concurrent: true }, kind => {
  describe.skipIf(kind.isMissing)('it', () => {
    let server: ServerHandle;
    let host: Host;
    beforeAll(async () => {
      server = await kind.start();
      host = await openHost(kind.databaseUrlOf(server));
    });
    afterAll(async () => {
      await host?.close();
      await server?.close();
    });

    const outages: [string, begin: () => unknown, end: () => unknown][] = [
      ['killed', () => server.kill(), () => server.start()],
      ['stopped', () => server.stop(), () => server.start()],
      ['hung', () => server.pause(), () => server.resume()],
    ];

    test.for(outages)(
      '%s: every request is refused, and served when it is back',
      inTurn,
      async ([, begin, end]) => {
        expect(await host.statuses()).toEqual(served);
        await begin();
        expectRefused(await Promise.all(Object.values(host.requests).map(send => send())));
        await end();
        expect(await host.statuses()).toEqual(served);
      },
    );

    const worse: [string, worsen: () => unknown, end: () => unknown][] = [
      ['hangs', () => {}, () => server.resume()],
      ['hangs and then dies', () => server.kill(), () => server.start()],
    ];

    test.for(worse)(
      '%s: 60 requests at once all end, and no connection is lost',
      inTurn,
      async ([, worsen, end]) => {
        const sends = Object.values(host.requests);
        server.pause();
        const answers = Promise.all(Array.from({ length: 60 }, (_, i) => sends[i % 4]!()));
        await worsen();
        const refused = await answers;
        await end();
        expectRefused(refused);
        const after = await Promise.all(Array.from({ length: 60 }, () => host.requests['GET /me']!()));
        expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
        expect(await host.statuses()).toEqual(served);
      },
    );
  });
});

describe('while another process writes (sqlite)', { concurrent: true }, () => {
  test('for too long, what must write is refused, what only reads is served, and all is served later', async () => {
    const file = join(await mkdtemp(join(inject('temporaryFolder'), 'outage-')), 'svc.db');
    const host = await openHost(`sqlite+aiosqlite:///${file}`);
    const script = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('begin immediate');
      console.log('locked'); process.stdin.resume()`;
    const writer = spawn(process.execPath, ['-e', script, file]);
    await once(writer.stdout, 'data');

    const { 'POST /login': login, 'POST /register': register, 'GET /me': me } = host.requests;
    expectRefused(await Promise.all([login!(), register!()]));
    expect((await me!()).status).toBe(200);

    writer.kill();
    await once(writer, 'close');
    expect(await host.statuses()).toEqual(served);
    await host.close();
  });
});
