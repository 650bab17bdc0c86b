import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executeOnPostgres, withMongo } from '../test/support/admin.ts';
import { type ServerHandle, startMongo, startPostgres } from '../test/support/servers.ts';

export type DatabaseName = 'sqlite' | 'postgresql' | 'mongodb';

/** Databases of the bench's own, and the servers behind them. */
export interface Databases {
  /** Makes an empty database and answers its URL. */
  create(name: DatabaseName): Promise<string>;
  /** The name that each server gives itself. */
  versions(): Promise<Record<string, string>>;
  /** Takes everything away. */
  close(): Promise<void>;
}

/** Servers that `POSTGRES_TEST_URL` and `MONGODB_TEST_URL` name are used, others are started when they are asked for. */
export async function openDatabases(): Promise<Databases> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];

  const server = (given: string | undefined, start: () => Promise<ServerHandle>) => {
    let url: Promise<string> | undefined;
    return () => {
      url ??= given
        ? Promise.resolve(given)
        : start().then(handle => {
            closers.push(() => handle.close());
            return handle.url;
          });
      return url;
    };
  };
  const postgresql = server(process.env.POSTGRES_TEST_URL, startPostgres);
  const mongodb = server(process.env.MONGODB_TEST_URL, startMongo);

  return {
    async create(name) {
      const database = `bench_${randomUUID().slice(0, 8)}`;
      if (name === 'sqlite') return `sqlite:///${join(folder, `${database}.db`)}`;
      const url = new URL(name === 'postgresql' ? await postgresql() : await mongodb());
      const { href } = url;
      if (name === 'postgresql') {
        await executeOnPostgres(href, `create database ${database}`);
        closers.unshift(() => executeOnPostgres(href, `drop database if exists ${database} with (force)`));
      } else {
        closers.unshift(() => withMongo(href, client => client.db(database).dropDatabase()));
      }
      url.pathname = database;
      return url.href;
    },
    async versions() {
      const [row] = await executeOnPostgres(await postgresql(), 'show server_version');
      const { version } = await withMongo(await mongodb(), client =>
        client.db('admin').command({ buildInfo: 1 }),
      );
      return { PostgreSQL: String(row!.server_version), MongoDB: version };
    },
    async close() {
      for (const close of closers) await close();
    },
  };
}
