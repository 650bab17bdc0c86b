import { executeOnPostgres, withMongo, withSqlite } from './admin.ts';

/**
 * Every row of every table of a database, by table; empty tables, migrations, search indexes and the counts of the overview,
 * which are written after answers, are left out.
 */
export async function rowsIn(url: string): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = await tablesIn(url);
  const filled = Object.entries(tables).filter(([, rows]) => rows.length > 0);
  return Object.fromEntries(filled.filter(([name]) => !/migration|^sqlite_|^hour_counts$/.test(name)));
}

/** Removes every row of every table of a server's database, but for its migrations. */
export async function removeRows(url: string): Promise<void> {
  const isOurs = (name: string) => !/migration/.test(name);
  if (url.startsWith('mongodb')) {
    await withMongo(url, async client => {
      const collections = await client.db(new URL(url).pathname.slice(1)).collections();
      const ours = collections.filter(({ collectionName }) => isOurs(collectionName));
      await Promise.all(ours.map(collection => collection.deleteMany()));
    });
    return;
  }
  const clientUrl = url.replace('+asyncpg', '');
  const tables = (await executeOnPostgres(clientUrl, namesOfTables)).map(row => String(row.table_name));
  const quoted = tables.filter(isOurs).map(name => `"${name}"`);
  await executeOnPostgres(clientUrl, `truncate ${quoted.join(', ')}`);
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

function sqliteTablesIn(url: string) {
  return withSqlite(url.replace(/^.*:\/\/\//, ''), file => {
    // A virtual table keeps its rows in tables of its own, of which each name begins with its name.
    const all = file.prepare("select name, sql from sqlite_master where type = 'table'").all() as {
      name: string;
      sql: string;
    }[];
    const virtual = all.filter(({ sql }) => /^create virtual/i.test(sql)).map(({ name }) => name);
    const plain = all.filter(
      ({ name }) =>
        !virtual.some(
          index => name === index || /^_(data|idx|config|docsize)$/.test(name.slice(index.length)),
        ),
    );
    return Object.fromEntries(
      plain.map(({ name }) => [
        name,
        file.prepare(`select * from "${name}"`).all() as Record<string, unknown>[],
      ]),
    );
  });
}

const namesOfTables = "select table_name from information_schema.tables where table_schema = 'public'";

async function postgresTablesIn(url: string) {
  const named = await executeOnPostgres(url.replace('+asyncpg', ''), namesOfTables);
  const names = named.map(({ table_name }) => String(table_name));
  const rows = names.map(async name => [
    name,
    await executeOnPostgres(url.replace('+asyncpg', ''), `select * from "${name}"`),
  ]);
  return Object.fromEntries(await Promise.all(rows));
}
