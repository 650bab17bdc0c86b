import { withMongo, withPostgres, withSqlite } from './admin.ts';

/**
 * Every row of every table of a database, by table; empty tables, migrations, search indexes and the counts of the overview,
 * which are written after answers, are left out.
 */
export async function rowsIn(url: string): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = await tablesIn(url);
  const filled = Object.entries(tables).filter(([, rows]) => rows.length > 0);
  return Object.fromEntries(filled.filter(([name]) => !/migration|^sqlite_|^hour_counts$/.test(name)));
}

/** Removes every row of every table of a database, but for its migrations and the tables that are kept. */
export async function removeRows(url: string, kept: readonly string[] = []): Promise<void> {
  const isOurs = (name: string) => !/migration/.test(name) && !kept.includes(name);
  if (url.startsWith('mongodb')) {
    await withMongo(url, async client => {
      const collections = await client.db(new URL(url).pathname.slice(1)).collections();
      const ours = collections.filter(({ collectionName }) => isOurs(collectionName));
      await Promise.all(ours.map(collection => collection.deleteMany()));
    });
    return;
  }
  if (url.startsWith('sqlite')) {
    await withSqliteOf(url, file => {
      const ours = plainTablesOf(file).filter(name => isOurs(name) && !name.startsWith('sqlite_'));
      file.exec(`begin; ${ours.map(name => `delete from "${name}";`).join(' ')} commit`);
    });
    return;
  }
  await withPostgres(url.replace('+asyncpg', ''), async connection => {
    const { rows } = await connection.query({ text: namesOfTables });
    const ours = rows.map(row => String(row.table_name)).filter(isOurs);
    // Not `truncate`, which makes every file of a table anew.
    await connection.query({ text: ours.map(name => `delete from "${name}"`).join(';') });
  });
}

function tablesIn(url: string): Promise<Record<string, Record<string, unknown>[]>> {
  if (url.startsWith('mongodb')) return collectionsIn(url);
  return url.startsWith('sqlite') ? sqliteTablesIn(url) : postgresTablesIn(url);
}

function collectionsIn(url: string) {
  return withMongo(url, async client => {
    const database = client.db(new URL(url).pathname.slice(1));
    const collections = await database.collections();
    const entries = collections.map(async collection => [
      collection.collectionName,
      await collection.find().toArray(),
    ]);
    return Object.fromEntries(await Promise.all(entries));
  });
}

type SqliteFile = Parameters<Parameters<typeof withSqlite>[1]>[0];
const withSqliteOf = <T>(url: string, work: (file: SqliteFile) => T) =>
  withSqlite(url.replace(/^.*:\/\/\//, ''), work);

/** The tables of a file that are not virtual, and not what a virtual one keeps its rows in: names that begin with its own. */
function plainTablesOf(file: SqliteFile): string[] {
  const all = file.prepare("select name, sql from sqlite_master where type = 'table'").all() as {
    name: string;
    sql: string;
  }[];
  const virtual = all.filter(({ sql }) => /^create virtual/i.test(sql)).map(({ name }) => name);
  const isVirtual = (name: string) =>
    virtual.some(index => name === index || /^_(data|idx|config|docsize)$/.test(name.slice(index.length)));
  return all.map(({ name }) => name).filter(name => !isVirtual(name));
}

function sqliteTablesIn(url: string) {
  return withSqliteOf(url, file =>
    Object.fromEntries(
      plainTablesOf(file).map(name => [
        name,
        file.prepare(`select * from "${name}"`).all() as Record<string, unknown>[],
      ]),
    ),
  );
}

const namesOfTables = "select table_name from information_schema.tables where table_schema = 'public'";

/** Over one connection: to sign in takes the server longer than to read an empty table. */
function postgresTablesIn(url: string) {
  return withPostgres(url.replace('+asyncpg', ''), async connection => {
    const query = async (text: string) => (await connection.query({ text })).rows;
    const tables: Record<string, Record<string, unknown>[]> = {};
    for (const { table_name } of await query(namesOfTables))
      tables[String(table_name)] = await query(`select * from "${table_name}"`);
    return tables;
  });
}
