import type { MikroORM } from '@mikro-orm/sql';
import { StorageError } from './errors.ts';

/** Runs the steps that have not run yet and answers how many; the caller holds the lock that keeps other processes out. */
export async function migrate(orm: MikroORM): Promise<number> {
  const { migrator } = orm;
  const state = await compare(orm);
  if (state === 'ahead') throw aheadError();
  return state === 'behind' ? (await migrator.up().catch(explainTaken)).length : 0;
}

/** A table of somebody else's that has a name of ours. @throws {StorageError} */
function explainTaken(error: unknown): never {
  const name = /(?:table|relation) [`"]?([\w$]+)[`"]? already exists/.exec(String(error))?.[1];
  if (name === undefined) throw error;
  throw new StorageError(
    `There is a table ${name} already that is not ours. Choose other names by user_collection and its like, or another database.`,
  );
}

/** How the steps that ran compare with those this version knows. */
export async function compare(orm: MikroORM): Promise<'current' | 'behind' | 'ahead'> {
  const { migrationsList = [], tableName } = orm.config.get('migrations');
  const helper = orm.driver.getPlatform().getSchemaHelper()!;
  if (!(await helper.tableExists(orm.driver.getConnection(), tableName!, undefined))) return 'behind';
  const known = new Set(migrationsList.map(m => m.name));
  const executed = (await orm.migrator.getExecuted()).map(m => m.name);
  if (executed.some(name => !known.has(name))) return 'ahead';
  return executed.length < known.size ? 'behind' : 'current';
}

export function aheadError(): StorageError {
  return new StorageError(
    'The database schema is newer than this version of Gatehouse knows. Run the version that migrated it, or a later one.',
  );
}
