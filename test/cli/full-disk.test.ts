import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { built } from '../support/built.ts';
import { freePort } from '../support/server-process.ts';
import { installedFolder, jwtSecret, svc } from './support.ts';

/** Starts `svc` with a standard output on a full disk. */
async function start(args: string[], cwd: string, env: Record<string, string> = {}) {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const child = spawn(process.execPath, [await built('svc'), ...args], {
    cwd,
    env: { PATH: process.env.PATH, SVC_JWT_SECRET: jwtSecret, ...env },
    stdio: ['ignore', full, 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: Promise.all([text(child.stderr!), once(child, 'close')]) };
}

/** Standard error without what is said at each start, and without log records. */
const complaintsIn = (stderr: string) =>
  stderr.split('\n').filter(line => line && !/^(read |warning: |\{)/.test(line));

describe.skipIf(!existsSync('/dev/full'))('a full disk', () => {
  // A half-written file would lose every account that is not in it.
  const incomplete = (content: string) =>
    `The ${content} not complete: standard output can't be written (ENOSPC).`;
  const unwritable = "Standard output can't be written (ENOSPC).";
  const env = { SVC_DATABASE_URL: 'sqlite:///./svc.db', SVC_AUDIT_STORE: 'database' };
  let cwd: string;
  beforeAll(async () => {
    cwd = await installedFolder();
    await writeFile(join(cwd, 'users.jsonl'), '{"email":"ada@example.org"}\n');
    await writeFile(join(cwd, 'refused.jsonl'), '{"email":"nobody"}\n'.repeat(3000));
    expect(await svc(['user', 'import', 'users.jsonl'], { cwd, env })).toMatchObject({ code: 0 });
  });

  test.each([
    [['user', 'export'], incomplete('export is')],
    [['audit', '--json'], incomplete('records are')],
    [['audit'], incomplete('records are')],
    [['user', 'import', 'users.jsonl', '--json'], unwritable],
    [['user', 'import', 'refused.jsonl', '--json'], unwritable],
    [['user', 'import', 'users.jsonl'], unwritable],
    [['schema'], unwritable],
    [['documents'], unwritable],
    [['purge'], unwritable],
    [['--help'], unwritable],
  ])('is one line of svc %j', async (command, complaint) => {
    const [stderr, [code]] = await (await start(command, cwd, env)).ended;
    expect([code, complaintsIn(stderr)]).toEqual([1, [complaint]]);
  });

  test('costs svc serve the records of its log, and no request', async () => {
    const port = await freePort();
    const { child, ended } = await start(['serve', '--port', `${port}`], await installedFolder());
    let written = '';
    child.stderr!.setEncoding('utf8').on('data', (part: string) => {
      written += part;
    });
    const ask = async () => (await fetch(`http://127.0.0.1:${port}/api/auth/me`)).status;
    await vi.waitFor(async () => expect(await ask()).toBe(401), 60_000);
    await vi.waitFor(() => expect(written).toContain('The log'), 60_000);
    // An email to the console can't be written, either.
    const registered = await fetch(`http://127.0.0.1:${port}/api/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"email":"ada@example.org","password":"correct horse"}',
    });
    expect(registered.ok).toBe(true);
    for (let i = 0; i < 20; i++) expect(await ask()).toBe(401);
    child.kill('SIGTERM');
    const [stderr, [code]] = await ended;
    expect(code).toBe(0);
    expect(complaintsIn(stderr)).toEqual([
      "The log can't be written to standard output (ENOSPC); its records are lost.",
    ]);
  });
});
