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

/** The tables that the role may not read or add to; one whose rows it may only not change or delete may be meant to be so. */
const forbiddenSql = `select current_user as role, string_agg(t.relname, ', ' order by t.relname) as tables
  from (${tablesSql}) t
  where exists (select from unnest(array['select', 'insert']) needed(right_name)
    where not has_any_column_privilege(t.oid, right_name))
  having count(*) > 0`;

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

/** Returns which of these tables the role may not use, as one difference. */
export async function findForbidden(
  { read }: Driver,
  schema: string | undefined,
  tables: string[],
): Promise<Difference[]> {
  const [row] = await read(forbiddenSql, [tables, schema ?? null]);
  if (!row) return [];
  const remedy = `make it their owner, or grant it ${neededRights} on them`;
  return [{ text: `"${row.role}" may not read and write ${row.tables} (${remedy})`, isFatal: true }];
}
