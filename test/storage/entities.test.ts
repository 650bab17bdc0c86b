import { MikroORM as PostgresORM } from '@mikro-orm/postgresql';
import { MikroORM as SqliteORM } from '@mikro-orm/sqlite';
import { expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import type { PostgresqlUrl } from '../../src/config/postgresql-url.ts';
import { neededTables } from '../../src/storage/drift.ts';
import { postgresqlOptions } from '../../src/storage/postgresql.ts';
import { sqliteOptions } from '../../src/storage/sqlite-orm.ts';
import { bindTables } from '../../src/tables/bind.ts';
import type { Table } from '../../src/tables/define.ts';
import { tables } from '../../src/tables/index.ts';
import { storageOptions } from '../support/storage.ts';

// A table is described once. The ORM's entity of it must say the same.

const options = storageOptions();
const url = parseDatabaseUrl('postgresql+asyncpg://somebody@localhost/db', 'svc') as PostgresqlUrl;

test.each([
  ['sqlite', () => new SqliteORM(sqliteOptions(':memory:', options))],
  ['postgresql', () => new PostgresORM(postgresqlOptions(url, options))],
] as const)(
  'the entities of %s have the tables, columns and indexes of the descriptions',
  async (dialect, open) => {
    const orm = open();
    const entities = [...orm.getMetadata().getAll().values()].map(meta => {
      const columnOf = (property: string) => meta.props.find(({ name }) => name === property)!.fieldNames[0]!;
      const several = (lists: { properties?: unknown }[], isUnique: boolean) =>
        lists.map(({ properties }) => ({
          columns: [properties].flat().map(property => columnOf(String(property))),
          isUnique,
        }));
      return {
        name: meta.tableName,
        columns: meta.props.map(prop => ({
          ...{ name: prop.fieldNames[0], type: prop.columnTypes[0], isNullable: prop.nullable === true },
        })),
        indexes: [
          ...meta.props
            .filter(({ primary, unique, index }) => primary || unique || index)
            .map(({ fieldNames, primary, unique }) => ({
              ...{ columns: [fieldNames[0]], isUnique: Boolean(primary || unique) },
            })),
          ...several(meta.uniques, true),
          ...several(meta.indexes, false),
        ],
      };
    });
    const byName = (a: { name?: string }, b: { name?: string }) => (a.name! < b.name! ? -1 : 1);
    const described = neededTables(bindTables(options.names, 'sql'), dialect);
    expect(entities.toSorted(byName)).toEqual(described.toSorted(byName));
    await orm.close();
  },
);

test('a description names columns that there are', () => {
  for (const table of Object.values<Table>(tables)) {
    const { columns, owner, ends, indexes = [], uniques = [] } = table;
    const named = [...indexes.flat(), ...uniques.flat(), owner, ends?.by];
    for (const property of named) if (property !== undefined) expect(columns).toHaveProperty(property);
  }
});
