import { createRequire } from 'node:module';
import { MikroORM as MongoOrm } from '@mikro-orm/mongodb';
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql';
import type { SqliteConnection } from '@mikro-orm/sqlite';
import { Redis } from 'ioredis';

type MongoClient = ReturnType<ReturnType<MongoOrm['em']['getConnection']>['getClient']>;

type SqliteFile = Awaited<ReturnType<SqliteConnection['getNativeClient']>>;
const Sqlite: new (path: string) => SqliteFile = createRequire(import.meta.url)('better-sqlite3');

const withoutEntities = { entities: [], discovery: { warnWhenNoEntities: false } };

/** Runs one statement outside any transaction and gives its rows. */
export async function executeOnPostgres(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const orm = await PostgresOrm.init({ ...withoutEntities, clientUrl: url });
  try {
    return await orm.em.getConnection().execute(statement);
  } finally {
    await orm.close(true);
  }
}

/** Lends a connection of the driver's to `work`. */
export async function withPostgres<T>(
  url: string,
  work: (connection: {
    query(statement: object): Promise<{ rows: Record<string, unknown>[] }>;
  }) => Promise<T>,
): Promise<T> {
  const orm = await PostgresOrm.init({ ...withoutEntities, clientUrl: url });
  const connection = await (await orm.em.getConnection().getNativeClient()).connect();
  try {
    return await work(connection);
  } finally {
    connection.release(true);
    await orm.close(true);
  }
}

/** Lends a connection of its own to the file to `work`. */
export async function withSqlite<T>(path: string, work: (file: SqliteFile) => T | Promise<T>): Promise<T> {
  const file = new Sqlite(path);
  try {
    return await work(file);
  } finally {
    file.close();
  }
}

/** Lends a client of its own to `work`. */
export async function withMongo<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const orm = await MongoOrm.init({ ...withoutEntities, clientUrl: url, dbName: 'admin' });
  try {
    return await work(orm.em.getConnection().getClient());
  } finally {
    await orm.close(true);
  }
}

/** Drops the databases of a server whose names begin so. */
export async function dropDatabases(url: string, prefix: string): Promise<void> {
  if (url.startsWith('mongodb'))
    return withMongo(url, async client => {
      const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
      for (const { name } of databases) if (name.startsWith(prefix)) await client.db(name).dropDatabase();
    });
  for (const { datname } of await executeOnPostgres(url, 'select datname from pg_database'))
    if (String(datname).startsWith(prefix))
      await executeOnPostgres(url, `drop database "${datname}" with (force)`);
}

/** Lends a client of its own to `work`; it does not wait for a server that is not there. */
export async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  // Whatever goes wrong is reported by the command that it befalls.
  client.on('error', () => {});
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}
