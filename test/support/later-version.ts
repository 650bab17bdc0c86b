import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { executeOnPostgres, withMongo, withSqlite } from './admin.ts';

/**
 * Changes a database as a later version would: adds a column and a table, and stores its step, with or without the word
 * that this version can run beside it. The function that is returned takes the step back.
 */
export async function changeAsLaterVersion(
  url: string,
  { isCompatible }: { isCompatible: boolean },
): Promise<() => Promise<void>> {
  const database = parseDatabaseUrl(url, 'svc');
  if (database.backend === 'mongodb') {
    const update = (pipeline: object[]) =>
      withMongo(url, async client => {
        const db = client.db(database.database);
        await db.collection('users').createIndex({ later: 1 });
        await db.collection<{ _id: string }>('users_migrations').updateOne({ _id: 'schema' }, pipeline);
      });
    const raised = { $set: { version: { $add: ['$version', 1] } } };
    await update(isCompatible ? [raised] : [raised, { $unset: 'compatible_from' }]);
    return () => update([{ $set: { version: { $add: ['$version', -1] } } }]);
  }
  const execute = async (...statements: string[]) => {
    if (database.backend === 'sqlite') {
      await withSqlite(database.path, file => file.exec(statements.join(';')));
      return;
    }
    for (const statement of statements) await executeOnPostgres(database.url, statement);
  };
  const compatibleFrom = isCompatible ? `'0002-search'` : 'null';
  await execute(
    `alter table users add column later text`,
    `create table later_things (id text primary key)`,
    `insert into users_migrations (name, executed_at, compatible_from)
       values ('9999-later', current_timestamp, ${compatibleFrom})`,
  );
  return () => execute(`delete from users_migrations where name = '9999-later'`);
}
