import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageFolder } from '../build.ts';
import { median } from '../race.ts';
import { jwtSecret } from '../seed.ts';
import { residentMiB } from '../servers/spawn.ts';
import type { Part } from './part.ts';

/** From starting `svc serve` to its line that says where it listens, and what it occupies then. */
export const start: Part = async ({ databases, passes }) => {
  const databaseUrl = await databases.create('sqlite');
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
  const runs: { ms: number; mib: number }[] = [];
  for (let run = -1; run < 2 * passes; run++) {
    const once = await startOnce(databaseUrl, folder);
    // The first makes the schema.
    if (run >= 0) runs.push(once);
  }
  await rm(folder, { recursive: true });
  return [
    {
      title: 'svc serve, sqlite',
      columns: ['', 'median', 'most'],
      rows: [
        [
          'start to ready, ms',
          Math.round(median(runs.map(({ ms }) => ms))),
          Math.round(Math.max(...runs.map(({ ms }) => ms))),
        ],
        [
          'resident at rest, MiB',
          Math.round(median(runs.map(({ mib }) => mib))),
          Math.round(Math.max(...runs.map(({ mib }) => mib))),
        ],
      ],
    },
  ];
};

async function startOnce(databaseUrl: string, cwd: string): Promise<{ ms: number; mib: number }> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(packageFolder, 'dist/cli/main.js'), 'serve', '--port', '0'], {
    cwd,
    env: {
      PATH: process.env.PATH,
      SVC_JWT_SECRET: jwtSecret,
      SVC_DATABASE_URL: databaseUrl,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (/^listening on /m.test(text)) break;
  }
  const ms = performance.now() - startedAt;
  if (!text.includes('listening on')) throw new Error(`svc serve did not start:\n${text}`);
  // At rest it is once it has given back what the start alone needed.
  await sleep(1000);
  const mib = residentMiB(child.pid!);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  return { ms, mib };
}
