import { roleIndexNamesOf, searchNameOf } from '../config/storage-names.ts';
import type { TableNames } from '../tables/index.ts';
import type { Found, NeededObject } from './drift.ts';
import type { Driver } from './sql-driver.ts';

/**
 * Returns the objects that the search of users and the index of roles consist of. Without the tables, writing a user
 * fails.
 */
export function indexObjects(names: TableNames): NeededObject[] {
  const search = searchNameOf(names.users);
  const { table, onInsert, onUpdate, onDelete } = roleIndexNamesOf(names.users);
  const named = (kind: NeededObject['kind'], isFatal: boolean, suffixes: string[]) =>
    suffixes.map(suffix => ({ kind, name: `${search}${suffix}`, isFatal }));
  return [
    ...named('table', true, ['', '_texts']),
    ...named('table', false, ['_grams']),
    ...named('index', false, ['_texts_email_index']),
    ...named('trigger', false, ['_copied', '_forgotten', '_insert', '_delete', '_update']),
    { kind: 'table', name: table, isFatal: true },
    ...[onInsert, onUpdate, onDelete].map(name => ({ kind: 'trigger' as const, name, isFatal: false })),
  ];
}

const columnsSql = `select m.name as "table", c.name, lower(c.type) as type, c."notnull", c.dflt_value, c.hidden
  from sqlite_master m join pragma_table_xinfo(m.name) c
  where m.type = 'table' and m.name in (select value from json_each(?))`;

/**
 * Excludes partial indexes, which cover only some rows, expressions, which have no column name, and other collations,
 * which have another order.
 */
const indexesSql = `select m.name as "table", l."unique", json_group_array(c.name order by c.seqno) as columns
  from sqlite_master m join pragma_index_list(m.name) l join pragma_index_xinfo(l.name) c
  where m.type = 'table' and m.name in (select value from json_each(?)) and not l.partial and c.key
  group by m.name, l.name having count(c.name) = count(*) and min(c.coll = 'BINARY')`;

const objectsSql = `select type, name from sqlite_master where name in (select value from json_each(?))`;

/** Returns what the file has of these tables and objects. */
export async function readSqliteCatalog(
  { read }: Driver,
  tables: string[],
  objects: NeededObject[],
): Promise<Found> {
  const [columns, indexes, others] = await Promise.all([
    read(columnsSql, [JSON.stringify(tables)]),
    read(indexesSql, [JSON.stringify(tables)]),
    read(objectsSql, [JSON.stringify(objects.map(({ name }) => name))]),
  ]);
  return {
    columns: columns.map(column => ({
      table: String(column.table),
      name: String(column.name),
      type: String(column.type),
      isNullable: column.notnull === 0,
      hasDefault: column.dflt_value !== null || column.hidden !== 0,
    })),
    indexes: indexes.map(index => ({
      table: String(index.table),
      columns: JSON.parse(String(index.columns)),
      isUnique: index.unique === 1,
    })),
    objects: new Set(others.map(({ type, name }) => `${type} ${name}`)),
  };
}
