import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../cli/support.ts';
import { isProductionRun, mostOpenFiles } from '../support/production.ts';

vi.setConfig({ testTimeout: 300_000 });

const connections = 10_000;
const processes = 5;
/** The server has more files than those of its connections. */
const needed = connections + 500;
const lacks =
  process.platform !== 'linux' || mostOpenFiles() < needed ? `, needs Linux and ulimit -n ${needed}` : '';

/** The memory of a process, in bytes. */
async function residentOf(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) * 1024;
}

/** A process that holds connections, and how many are still open when it is asked. */
async function hold(port: string, count: number) {
  const script = join(import.meta.dirname, 'idle-client.ts');
  const child = spawn(process.execPath, [script, port, String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    return Number(/open (\d+)/.exec(await text(child.stdout))![1]);
  };
}

test.skipIf(!isProductionRun || lacks !== '')(
  `${connections} idle connections are kept, and a request among them is served (npm run test:production${lacks})`,
  async ({ annotate }) => {
    const env = { SVC_KEEP_ALIVE_SECONDS: '600', SVC_REQUIRE_VERIFICATION: 'false' };
    const { api, origin, pid, stop } = await serve([], { env });
    const { port } = new URL(origin);
    const post = async (path: string, body: object) =>
      (
        await fetch(api + path, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json() as Promise<{ access_token: string }>;
    const ada = { email: 'ada@example.org', password: 'correct horse battery' };
    await post('/register', ada);
    const { access_token } = await post('/login', ada);
    const headers = { Authorization: `Bearer ${access_token}` };
    const me = async () => (await fetch(`${api}/me`, { headers })).status;
    for (let i = 0; i < 500; i++) expect(await me()).toBe(200);

    const before = await residentOf(pid);
    const holders = await Promise.all(
      Array.from({ length: processes }, () => hold(port, connections / processes)),
    );
    const after = await residentOf(pid);
    const startedAt = performance.now();
    for (let i = 0; i < 100; i++) expect(await me()).toBe(200);
    const ms = (performance.now() - startedAt) / 100;
    const open = await Promise.all(holders.map(count => count()));
    expect(open).toEqual(Array(processes).fill(connections / processes));
    const perConnection = (after - before) / connections / 1024;
    await annotate(
      `${connections} idle connections: ${Math.round(before / 2 ** 20)} MiB before, ${Math.round(after / 2 ** 20)} MiB with them (${perConnection.toFixed(1)} KiB each); GET /me among them ${ms.toFixed(1)} ms`,
      'figure',
    );
    expect((await stop()).code).toBe(0);
  },
);
