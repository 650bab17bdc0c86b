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

/** The table that is SQLite's index of the texts that users are searched by. */
export const searchTable = (names: EntityNames) => `${names.user.slice(0, 52)}_search`;

/** PostgreSQL's function that the index of the users' texts is made of; instances with other names share it. */
export const gramsFunction = 'gatehouse_grams';

/** The table that remembers which steps ran. It carries the name of the user table, as two instances may share one database. */
export function migrationsTable(names: EntityNames): string {
  return `${names.user.slice(0, 52)}_migrations`;
}
