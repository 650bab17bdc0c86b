import type { MigrationObject } from '@mikro-orm/core';
import type { EntityNames } from '../../entities/index.ts';
import { initial } from './0001-initial.ts';
import { search } from './0002-search.ts';

export type SqlBackend = 'sqlite' | 'postgresql';

/** Every step of the SQL schema, oldest first. A step that was released is never changed again. */
export function createMigrations(names: EntityNames, dialect: SqlBackend): MigrationObject[] {
  return [
    { name: '0001-initial', class: initial(names, dialect) },
    { name: '0002-search', class: search(names, dialect) },
  ];
}

/**
 * What the index of the users' texts is called: a table on SQLite, a function and an index of its results on PostgreSQL.
 */
export const searchName = (names: EntityNames) => `${names.user.slice(0, 52)}_search`;

/** The table that remembers which steps ran. It carries the name of the user table, as two instances may share one database. */
export function migrationsTable(names: EntityNames): string {
  return `${names.user.slice(0, 52)}_migrations`;
}
