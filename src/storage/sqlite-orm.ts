import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/sqlite';
import { roleIndexNamesOf, searchNameOf } from '../config/storage-names.ts';
import { bindTables } from '../tables/bind.ts';
import { type Installation, migrate } from './migrate.ts';
import { createMigrations } from './migrations/index.ts';
import type { StorageOptions } from './options.ts';
import { entitiesOf } from './orm-entities.ts';
import { driverBusyTimeoutMs } from './sqlite-file.ts';

/** Returns the options of the ORM on SQLite, for the application and for the ORM's own command line. */
export function sqliteOptions(path: string, { names, migrations, identityIssuers }: StorageOptions) {
  return {
    entities: entitiesOf(bindTables(names, 'sql')),
    dbName: path,
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    driverOptions: { timeout: driverBusyTimeoutMs },
    forceUtcTimezone: true,
    // The instance writes what matters to its own log, without the data that the ORM would print.
    logger: () => {},
    // The index of roles, the search index, and the tables that SQLite keeps for it, are not tables.
    schemaGenerator: {
      skipTables: [
        new RegExp(`^${searchNameOf(names.users)}(_|$)`),
        new RegExp(`^${roleIndexNamesOf(names.users).table}$`),
      ],
      ignoreTriggers: true,
    },
    migrations: {
      tableName: migrations,
      migrationsList: createMigrations(names, 'sqlite', identityIssuers),
      snapshot: false,
      silent: true,
    },
  };
}

/** Returns the ORM on SQLite; it connects at the first use. */
export const openOrm = (path: string, options: StorageOptions) => new MikroORM(sqliteOptions(path, options));

/** Runs the steps that have not run yet, and returns how many. */
export function migrateSqlite(orm: MikroORM, options: StorageOptions): Promise<number> {
  const { names, migrations, identityIssuers } = options;
  const installation: Installation = {
    dialect: 'sqlite',
    steps: createMigrations(names, 'sqlite', identityIssuers),
    tableName: migrations,
    table: `"${migrations}"`,
  };
  return migrate(orm, installation);
}
