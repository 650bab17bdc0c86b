import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { packageFolder } from '../build.ts';
import type { DatabaseName } from '../databases.ts';
import { jwtSecret } from '../seed.ts';
import type { Part } from './part.ts';

const sizes: [DatabaseName, number][] = [
  ['sqlite', 100_000],
  ['sqlite', 1_000_000],
  ['postgresql', 100_000],
  ['mongodb', 100_000],
];

/** How long `svc user import` takes, and the most memory that it has at any time; on SQLite also after it was killed. */
export const importUsers: Part = async ({ databases }) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-import-'));
  try {
    const rows: (string | number)[][] = [];
    for (const [name, size] of sizes) {
      const file = join(folder, `${size}.jsonl`);
      await writeUsers(file, size);
      const databaseUrl = await databases.create(name);
      await start(['migrate'], databaseUrl).ended;
      rows.push([label(name, size), ...(await measure(file, databaseUrl, { created: size }))]);
      rows.push([`${label(name, size)}, again`, ...(await measure(file, databaseUrl, { existing: size }))]);
      if (name === 'sqlite') rows.push(await measureKilled(file, size, await databases.create(name)));
    }
    return [
      {
        title: 'Import of users with bcrypt hashes',
        columns: ['', 'seconds', 'users/s', 'most resident MiB'],
        rows,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const label = (name: string, size: number) => `${size.toLocaleString('en')} users, ${name}`;

/** Kills an import half-way and runs it again. @throws when anybody is missing or there twice */
async function measureKilled(file: string, size: number, databaseUrl: string): Promise<(string | number)[]> {
  await start(['migrate'], databaseUrl).ended;
  const { child, ended } = start(['user', 'import', file], databaseUrl);
  const database = new Database(databaseUrl.replace(/^.*?:\/\/\//, ''), { readonly: true });
  const last = database.prepare('select max(rowid) from users').pluck();
  while (Number(last.get() ?? 0) < size / 2) await sleep(50);
  child.kill('SIGKILL');
  await ended;
  const measured = await measure(file, databaseUrl, {});
  const distinct = database.prepare('select count(distinct email) from users').pluck().get();
  const identities = database
    .prepare('select count(*) from oauth_identities i join users u on u.id = i.user_id')
    .pluck();
  if (distinct !== size || identities.get() !== size / 10) throw new Error('the import is not complete');
  database.close();
  return [`${label('sqlite', size)}, killed half-way and run again`, ...measured];
}

/** @throws when the counts are not these */
async function measure(file: string, databaseUrl: string, expected: object): Promise<number[]> {
  const startedAt = performance.now();
  const { child, ended } = start(['user', 'import', file, '--json'], databaseUrl);
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, peakOf(child));
  }, 100);
  const output = await ended;
  clearInterval(watching);
  const seconds = (performance.now() - startedAt) / 1000;
  const counts = JSON.parse(output) as Record<string, number>;
  for (const [name, count] of Object.entries(expected)) {
    if (counts[name] !== count) throw new Error(`${name} is ${counts[name]}, not ${count}`);
  }
  return [Math.round(seconds * 10) / 10, Math.round(counts.read! / seconds), Math.round(peak)];
}

/** The most resident memory of a process so far, in MiB. */
function peakOf({ pid }: ChildProcess): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function start(args: string[], databaseUrl: string): { child: ChildProcess; ended: Promise<string> } {
  const child = spawn(process.execPath, [join(packageFolder, 'dist/cli/main.js'), ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, SVC_JWT_SECRET: jwtSecret, SVC_DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { child, ended: text(child.stdout) };
}

/** Writes so many users, each with another hash, and one in ten with an identity. */
async function writeUsers(file: string, size: number): Promise<void> {
  const stream = createWriteStream(file);
  for (let i = 0; i < size; i++) {
    const hash = randomBytes(40).toString('base64').replace(/[+=]/g, '.').slice(0, 53);
    const line = JSON.stringify({
      email: `user-${i}@example.org`,
      full_name: `User ${i}`,
      is_verified: true,
      created_at: new Date(1_600_000_000_000 + i * 1000).toISOString(),
      hashed_password: `$2b$12$${hash}`,
      ...(i % 10 === 0 && { identities: [{ provider: 'google', subject: String(i) }] }),
    });
    if (!stream.write(`${line}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}
