import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { openSqlite } from '../../src/storage/sqlite.ts';
import { type App, password, startApp } from '../support/app.ts';
import { storageOptions } from '../support/storage.ts';

interface Client {
  pragma(text: string, options?: object): number;
}

let app: App;
let token: string;
let client: Client;
beforeAll(async () => {
  const file = join(await mkdtemp(join(inject('temporaryFolder'), 'full-')), 'svc.db');
  const settings = { requireVerification: false };
  // The app's own connection is the one that can be told how large its file may get.
  const other = openSqlite({ backend: 'sqlite', path: ':memory:' }, storageOptions());
  const { client: otherClient } = await other.openCounterStore();
  const pragma = vi.spyOn(Object.getPrototypeOf(otherClient) as Client, 'pragma');
  app = await startApp({ databaseUrl: `sqlite+aiosqlite:///${file}`, settings });
  client = pragma.mock.contexts[0] as Client;
  pragma.mockRestore();
  await other.close();
  await app.rest('POST', '/register', { email: 'ada@example.org', password });
  const login = await app.rest('POST', '/login', { email: 'ada@example.org', password });
  token = login.body.access_token;
});
afterAll(() => app?.close());

const register = (name: string) =>
  app.rest('POST', '/register', { email: `${name}@example.org`, password, full_name: 'x'.repeat(200) });

test('a full disk refuses what must be stored, serves what is read, and is forgotten once there is room', async () => {
  const former = client.pragma('max_page_count', { simple: true });
  client.pragma(`max_page_count = ${client.pragma('page_count', { simple: true })}`);
  const stored: string[] = [];
  let refused = await register('0');
  for (let i = 1; refused.status === 201 && i < 100; i++) {
    stored.push(refused.body.email);
    refused = await register(String(i));
  }
  expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
  expect(await app.gatehouse.readiness()).toMatchObject({ isReady: false, database: 'full' });

  client.pragma(`max_page_count = ${former}`);
  expect((await register('afterwards')).status).toBe(201);
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 20_000);
  expect(await app.gatehouse.readiness()).toMatchObject({ isReady: true, database: 'ok' });
  clock.mockRestore();
  for (const email of stored) {
    expect((await app.rest('POST', '/login', { email, password })).status).toBe(200);
  }
});

// Nothing is written here before readiness is asked for: it has to find out by itself.
test.skipIf(process.platform !== 'linux')(
  'a file that cannot grow is noticed without a request',
  async () => {
    const folder = await mkdtemp(join(inject('temporaryFolder'), 'limited-'));
    const script = fileURLToPath(new URL('./limited-disk.ts', import.meta.url));
    // Writes beyond the limit fail, as on a full disk, in place of ending the process by a signal.
    const limited = `trap '' 25; ulimit -f 2000; exec "$0" "$@"`;
    const child = spawn('sh', ['-c', limited, process.execPath, script, join(folder, 'svc.db')]);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', text => {
      errors += text;
    });
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) lines.push(line);
    if (child.exitCode === null) await once(child, 'close');
    expect([child.exitCode, errors]).toEqual([0, '']);
    expect(lines).toEqual(['true ok', expect.stringMatching(/^false (down|full)$/)]);
  },
);
