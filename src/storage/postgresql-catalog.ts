import { roleIndexNamesOf, searchNameOf } from '../config/storage-names.ts';
import type { TableNames } from '../tables/index.ts';
import type { Difference } from './backend.ts';
import type { Found, NeededObject } from './drift.ts';
import { neededRights } from './postgresql-refusals.ts';
import type { Driver } from './sql-driver.ts';

/**
 * Returns the objects that the search of users and the index of roles consist of. Without the table of the latter, no
 * user can be given a role.
 */
export function indexObjects(names: TableNames): NeededObject[] {
  const name = searchNameOf(names.users);
  const { table, onInsert, onUpdate, onDelete } = roleIndexNamesOf(names.users);
  return [
    { kind: 'function', name, isFatal: false },
    { kind: 'index', name, isFatal: false },
    { kind: 'table', name: table, isFatal: true },
    { kind: 'function', name: table, isFatal: true },
    ...[onInsert, onUpdate, onDelete].map(trigger => ({
      kind: 'trigger' as const,
      name: trigger,
      isFatal: false,
    })),
  ];
}

/** Tables of the configured schema, otherwise those that the search path finds. */
const tablesSql = `select c.oid, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relname = any($1) and c.relkind in ('r', 'p')
    and case when $2::text is null then pg_table_is_visible(c.oid) else n.nspname = $2 end`;

const columnsSql = `select t.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as "isNullable", a.atthasdef or a.attidentity <> '' as "hasDefault"
  from (${tablesSql}) t join pg_attribute a on a.attrelid = t.oid
  where a.attnum > 0 and not a.attisdropped`;

/** An index counts if it is complete, valid and on plain columns; a unique index must also be checked immediately. */
const indexesSql = `select t.relname as "table", i.indisunique and i.indimmediate as "isUnique",
    array(select a.attname::text from unnest(i.indkey) with ordinality k(attnum, position)
      join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
      where k.position <= i.indnkeyatts order by k.position) as columns
  from (${tablesSql}) t join pg_index i on i.indrelid = t.oid join pg_class c on c.oid = i.indexrelid
    join pg_am m on m.oid = c.relam
  where i.indpred is null and i.indexprs is null and i.indisvalid and m.amname = 'btree'`;

/**
 * The tables for which the role lacks a right, apart by whether nothing can be read from one or added to it. Rights on columns
 * count, except that rows are deleted as a whole.
 */
const forbiddenSql = `select current_user as role, lacking.is_fatal as "isFatal",
    string_agg(lacking.relname, ', ' order by lacking.relname) as tables
  from (select t.relname, bool_or(needed.right_name in ('select', 'insert')) as is_fatal
    from (${tablesSql}) t, unnest(array['select', 'insert', 'update', 'delete']) needed(right_name)
    where not case needed.right_name when 'delete' then has_table_privilege(t.oid, 'delete')
      else has_any_column_privilege(t.oid, needed.right_name) end
    group by t.relname) lacking
  group by lacking.is_fatal order by lacking.is_fatal desc`;

const objectsSql = `select 'function' as kind, p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where p.proname = any($1)
    and case when $2::text is null then pg_function_is_visible(p.oid) else n.nspname = $2 end
  union all
  select 'index', c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_index i on i.indexrelid = c.oid
  where c.relname = any($1) and i.indisvalid
    and case when $2::text is null then pg_table_is_visible(c.oid) else n.nspname = $2 end
  union all
  select 'table', t.relname from (${tablesSql}) t
  union all
  select 'trigger', g.tgname from pg_trigger g join pg_class c on c.oid = g.tgrelid
    join pg_namespace n on n.oid = c.relnamespace
  where g.tgname = any($1) and g.tgenabled <> 'D'
    and case when $2::text is null then pg_table_is_visible(c.oid) else n.nspname = $2 end`;

/** Returns the ORM's name of a type where the catalogue has another. */
function ormType(type: string): string {
  if (type === 'integer') return 'int';
  return type.replace(/^timestamp(\(\d\))? with time zone$/, 'timestamptz$1');
}

/** Returns what the schema has of these tables and objects. */
export async function readPostgresqlCatalog(
  { read }: Driver,
  schema: string | undefined,
  tables: string[],
  objects: NeededObject[],
): Promise<Found> {
  const names = objects.map(({ name }) => name);
  const [columns, indexes, others] = await Promise.all([
    read(columnsSql, [tables, schema ?? null]),
    read(indexesSql, [tables, schema ?? null]),
    read(objectsSql, [names, schema ?? null]),
  ]);
  return {
    columns: (columns as unknown as Found['columns']).map(column => ({
      ...column,
      type: ormType(column.type),
    })),
    indexes: indexes as unknown as Found['indexes'],
    objects: new Set(others.map(({ kind, name }) => `${kind} ${name}`)),
  };
}

/**
 * Returns for which of these tables the role lacks a right. Without the right to change or delete rows requests may fail, too; of a
 * table of records that may be on purpose.
 */
export async function findForbidden(
  { read }: Driver,
  schema: string | undefined,
  tables: string[],
): Promise<Difference[]> {
  const rows = await read(forbiddenSql, [tables, schema ?? null]);
  return rows.map(({ role, tables, isFatal }) => ({
    text: `"${role}" lacks a right on ${tables} (make it their owner, or grant it ${neededRights} on them)`,
    isFatal: isFatal === true,
  }));
}
