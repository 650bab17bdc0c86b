import { spawn } from 'node:child_process';
import { mkdtemp, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import type { BetterSqlite3 } from '../../src/storage/sqlite-file.ts';
import { withSqlite } from '../support/admin.ts';
import { eventually } from '../support/eventually.ts';
import { storageOptions } from '../support/storage.ts';
import { user } from './records.ts';

const script = fileURLToPath(new URL('./write-until-killed.ts', import.meta.url));
/** In pages: the automatic value of SQLite. */
const automatic = 1000;
/** The file of the log is no longer than this in the end, in bytes. */
const longest = 64 * 1024 * 1024;

const newFile = async () => join(await mkdtemp(join(inject('temporaryFolder'), 'log-')), 'svc.db');

async function openServer(file: string, isServer = true) {
  const warn = vi.fn();
  const url = file === ':memory:' ? 'sqlite+aiosqlite:///:memory:' : `sqlite:///${file}`;
  const storage = await openStorage(parseDatabaseUrl(url, 'svc'), {
    ...storageOptions(),
    warnOfServer: isServer ? warn : undefined,
  });
  onTestFinished(() => storage.close());
  await storage.install();
  const client = (await storage.openCounters()).store.client as BetterSqlite3;
  return {
    ...{ storage, warn, client },
    pagesOfAutomatic: () => client.pragma('wal_autocheckpoint', { simple: true }),
    log: () => (client.pragma('wal_checkpoint(noop)') as { log: number; checkpointed: number }[])[0]!,
  };
}

/** Adds users with long names. Returns their ids. */
async function write({ repositories }: Storage, count: number, length = 4000): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const added = user({ hashedPassword: 'x'.repeat(length) });
    await repositories.users.add(added);
    ids.push(added.id);
  }
  return ids;
}

/** Writes until a check passes. */
const writing = (storage: Storage, check: () => void, length?: number) =>
  eventually(async () => {
    await write(storage, 64, length);
    check();
  });

const sizeOfLog = async (file: string) => (await stat(`${file}-wal`)).size;

test('the log of a server is written back by a thread that starts when the log has grown, not by the event loop', async () => {
  const { storage, pagesOfAutomatic, log, warn } = await openServer(await newFile());
  expect(pagesOfAutomatic()).toBe(automatic);
  await writing(storage, () => expect(pagesOfAutomatic()).toBe(0));
  await writing(storage, () => expect(log().checkpointed).toBeGreaterThan(0));
  expect(warn).not.toHaveBeenCalled();
});

test.each([
  ['a command', 'file', false],
  ['memory', ':memory:', true],
])('no thread is started for %s', async (_, place, isServer) => {
  const file = place === ':memory:' ? place : await newFile();
  const { storage, pagesOfAutomatic } = await openServer(file, isServer);
  await write(storage, 700);
  expect(pagesOfAutomatic()).toBe(automatic);
});

test('the log is written back and removed when the server is closed', async () => {
  const file = await newFile();
  const { storage, pagesOfAutomatic } = await openServer(file);
  await writing(storage, () => expect(pagesOfAutomatic()).toBe(0));
  await storage.close();
  await expect(sizeOfLog(file)).rejects.toThrow('ENOENT');
});

test('a log that a reader holds grows, is reported, and is emptied when the reader has ended', async () => {
  const file = await newFile();
  const { storage, warn, log } = await openServer(file);
  await withSqlite(file, async reader => {
    reader.exec('begin');
    reader.prepare('select count(*) from users').get();
    await writing(storage, () => expect(warn).toHaveBeenCalled(), 200_000);
  });
  expect(warn.mock.calls).toEqual([
    [{ pages: expect.any(Number) }, expect.stringContaining('keeps reading an older state')],
  ]);
  expect(await sizeOfLog(file)).toBeGreaterThan(longest);
  await writing(storage, () => expect(log().log).toBeLessThan(automatic));
  expect(await sizeOfLog(file)).toBeLessThanOrEqual(longest);
});

test('two servers of one file write everything and disturb neither', async () => {
  const file = await newFile();
  const servers = [await openServer(file), await openServer(file)];
  const ids = (await Promise.all(servers.map(({ storage }) => write(storage, 1500)))).flat();
  for (const { warn } of servers) expect(warn).not.toHaveBeenCalled();
  const [{ storage }] = servers as [Awaited<ReturnType<typeof openServer>>];
  expect(await storage.repositories.users.count({})).toBe(ids.length);
});

test('a thread that cannot start leaves the work to the event loop, and says so', async () => {
  const file = await newFile();
  const { storage, pagesOfAutomatic, warn } = await openServer(file);
  // The connection of the event loop keeps the file that it has opened.
  await rename(file, `${file}-elsewhere`);
  await writing(storage, () => expect(warn).toHaveBeenCalled());
  expect(warn.mock.calls).toEqual([
    [{ err: expect.any(Error) }, expect.stringContaining('by the event loop')],
  ]);
  expect(pagesOfAutomatic()).toBe(automatic);
});

test('a server that is killed has lost nothing that it stored, and its file is sound', async () => {
  const file = await newFile();
  const server = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  const stored: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    stored.push(line);
    if (stored.length === 3000) server.kill('SIGKILL');
  }
  await withSqlite(file, database => {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    const ids = new Set(database.prepare('select id from users').pluck().all());
    expect(stored.filter(id => !ids.has(id))).toEqual([]);
  });
});
