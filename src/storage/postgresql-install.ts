import type { MikroORM } from '@mikro-orm/postgresql';
import { StorageError } from './errors.ts';
import { executeOn, type Installation, migrate } from './migrate.ts';
import { createMigrations } from './migrations/index.ts';
import type { StorageOptions } from './options.ts';
import { enterSchema, explainRights, schemaOf } from './postgresql-schema.ts';
import { qualified } from './sql-text.ts';
import type { Remark } from './versions.ts';

/** Returns a remark if the next start will not find the schema of the tables. */
export async function remarksOnSchema(orm: MikroORM, options: StorageOptions): Promise<Remark[]> {
  try {
    await schemaOf(executeOn(orm), options);
    return [];
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return [{ outcome: 'fail', text: error.message }];
  }
}

/** Returns the installation of a schema. */
function installationIn(
  schema: string,
  { names, migrations, identityIssuers }: StorageOptions,
): Installation {
  return {
    dialect: 'postgresql',
    steps: createMigrations(names, 'postgresql', identityIssuers),
    tableName: migrations,
    table: qualified(schema, migrations),
    prepare: execute => enterSchema(execute, schema),
  };
}

/** Installs the tables that are missing. Returns how many steps that took. */
export async function installTables(orm: MikroORM, options: StorageOptions): Promise<number> {
  const execute = executeOn(orm);
  const schema = await schemaOf(execute, options);
  try {
    return await migrate(orm, installationIn(schema, options));
  } catch (error) {
    throw await explainRights(error, execute, schema);
  }
}
