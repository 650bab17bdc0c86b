import { roleIndexNamesOf } from '../../src/config/storage-names.ts';
import { withMongo, withPostgres } from './admin.ts';
import type { TestDatabase } from './backends.ts';
import { storageOptions } from './storage.ts';

const { names, migrations } = storageOptions();
const tables = new Set([...Object.values(names), roleIndexNamesOf(names.users).table, migrations]);

/**
 * Lends databases of a server one after another: a server takes ten times as long to make the tables as to empty them. The
 * first borrower makes the tables. A database with other tables than those of the usual names is not lent again.
 */
export function lending(
  create: () => Promise<TestDatabase>,
  empty: (url: string) => Promise<boolean>,
): () => Promise<TestDatabase> {
  const returned: TestDatabase[] = [];
  return async () => {
    const database = returned.pop() ?? (await create());
    return {
      url: database.url,
      async drop() {
        if (await empty(database.url)) returned.push(database);
        else await database.drop();
      },
    };
  };
}

const areOurs = (found: string[]) => found.every(name => tables.has(name));
const isFilled = (name: string) => name !== migrations;

/** Removes all rows. Returns false where the tables are others. */
export const emptyPostgres = (url: string): Promise<boolean> =>
  withPostgres(url.replace('+asyncpg', ''), async connection => {
    const { rows } = await connection.query({
      text: `select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where relkind in ('r', 'p', 'v', 'm') and nspname not in ('pg_catalog', 'pg_toast', 'information_schema')`,
    });
    const found = rows.map(({ relname }) => String(relname));
    if (!areOurs(found)) return false;
    const deletions = found.filter(isFilled).map(name => `delete from "${name}"`);
    await connection.query({ text: deletions.join(';') });
    return true;
  });

/** Removes all documents. Returns false where the collections are others. */
export const emptyMongo = (url: string): Promise<boolean> =>
  withMongo(url, async client => {
    const database = client.db(new URL(url).pathname.slice(1));
    const found = (await database.collections()).map(({ collectionName }) => collectionName);
    if (!areOurs(found)) return false;
    for (const name of found.filter(isFilled)) await database.collection(name).deleteMany({});
    return true;
  });
