import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../race.ts';
import { residentMiB } from '../servers/spawn.ts';
import { startSvc } from '../servers/svc.ts';
import type { Part } from './part.ts';

/** From starting `svc serve` to its first answer, and what it occupies a moment later. */
export const start: Part = async ({ databases, passes }) => {
  const databaseUrl = await databases.create('sqlite');
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
  const runs: { ms: number; mib: number }[] = [];
  for (let run = -1; run < 2 * passes; run++) {
    const once = await startOnce(databaseUrl, folder);
    // The first makes the schema, and fills the cache of compiled code.
    if (run >= 0) runs.push(once);
  }
  await rm(folder, { recursive: true });
  return [
    {
      title: 'svc serve, sqlite',
      columns: ['', 'median', 'most'],
      rows: [
        [
          'start to the first answer, ms',
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
  const svc = await startSvc(databaseUrl, cwd);
  const answer = await fetch(`${svc.url}/api/auth/features`);
  await answer.text();
  const ms = performance.now() - startedAt;
  // At rest it is once it has given back what the start alone needed.
  await sleep(2500);
  const mib = residentMiB(svc.pid);
  await svc.stop();
  return { ms, mib };
}
