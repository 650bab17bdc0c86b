import type { MigrationObject } from '@mikro-orm/core';
import type { EntityNames } from '../../entities/index.ts';
import { initial } from './0001-initial.ts';

export type SqlBackend = 'sqlite' | 'postgresql';

/** Every step of the SQL schema, oldest first. A step that was released is never changed again. */
export function createMigrations(names: EntityNames, dialect: SqlBackend): MigrationObject[] {
  return [{ name: '0001-initial', class: initial(names, dialect) }];
}

/** The table that remembers which steps ran. It carries the name of the user table, as two instances may share one database. */
export function migrationsTable(names: EntityNames): string {
  return `${names.user.slice(0, 52)}_migrations`;
}
