import type { BoundTable } from '../tables/bound.ts';
import type { Column } from '../tables/define.ts';
import { type Condition, FromNow, type Page, type Patch, type Selection } from './backend.ts';

/** The differences between the SQL of SQLite and PostgreSQL. */
export interface SqlDialect {
  /** The schema of every table; without one, the database looks for them. */
  schema?: string | undefined;
  /** Returns an expression for the later of the operands; none of them is null. */
  greatest(...operands: string[]): string;
  /** Returns an expression for a time column plus one millisecond. */
  plusOneMillisecond(column: string): string;
  /** Returns an expression for a time as milliseconds since 1970, as the driver's own number. */
  asMilliseconds(column: string): string;
  /** Returns a column for a condition that the planner must check row by row, without an index. */
  unindexed(column: string): string;
  /** Returns a value in the driver's form. */
  parameter(value: unknown): unknown;
  placeholder(position: number): string;
  /** Returns an expression for the present time by the clock of the database, plus milliseconds. */
  fromNow(ms: string): string;
  /** Returns a condition for a key that a query finds, whose rows no other statement is changing. */
  isClaimed(key: string, query: string): string;
  /** Returns a condition for a column whose text a search finds. */
  isFound(column: string, text: string, bind: Bind): string;
  /** Returns an expression for a JSON object with the values of another; a null there removes one. */
  mergeJson(column: string, values: string): string;
  /** Returns an expression for a JSON list of texts without those that are known, and with those that are given. */
  chooseJson(column: string, known: string, given: string): string;
  /** Returns a condition for a JSON list that has this text. */
  hasText(column: string, text: string): string;
  /** Joins the rows of a table named `h` with those that a subquery finds for each, in the order of `h` and never another. */
  joinEach(h: string, table: string, on: (found: string) => string): string;
}

/** Returns a JSON value in the form in which drivers take it; other values unchanged. */
const asParameter = (value: unknown) =>
  typeof value === 'object' && value !== null && !(value instanceof Date) ? JSON.stringify(value) : value;

/** Returns a stored JSON value; null for a text that is none, which only another program can have stored. */
function readJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

/** Binds a value and returns its placeholder. */
export type Bind = (value: unknown) => string;

/**
 * Returns the users that have a role, from the index of roles: in its order, which is that of the list. A row of the index alone
 * proves nothing, because another program may have written it: the user must have the role.
 */
export function holdersOf(roleIndex: string, { name, key, column }: Table, dialect: SqlDialect): string {
  const isHolder = (user: string) =>
    `${user}.${key} = h.user_id and ${dialect.hasText(`${user}.${column('roles')}`, 'h.role')}`;
  return dialect.joinEach(`${roleIndex} h`, name, isHolder);
}

export const from = (source: string, conditions: string[]) =>
  conditions.length > 0 ? `from ${source} where ${conditions.join(' and ')}` : `from ${source}`;

/** A name as both databases quote it. */
export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Returns the quoted name of a table or function with its schema. */
export const qualified = (schema: string | undefined, name: string) =>
  schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`;

const isTime = ({ traits }: Column<unknown>) => traits.type === 'time';

/** Returns what makes a property of a stored value that is not null. */
function readerOf(column: Column<unknown>): (value: unknown) => unknown {
  if (isTime(column)) return value => new Date(Number(value));
  if (column.traits.type === 'json') return readJson;
  return column.traits.type === 'boolean' ? Boolean : value => value;
}

/** Returns how a table is stored: its name, and a column for each property. */
export function tableOf({ name, columns: described, key, fields }: BoundTable, dialect: SqlDialect) {
  const properties = Object.entries(described);
  const readers = properties.map(([property, column]) => ({ property, read: readerOf(column) }));
  const columns = new Map([...fields].map(([property, field]) => [property, quote(field)]));

  /**
   * Returns the selected columns, each under its property's name; `alias` is that of the table in a join, and `prefix` tells
   * the names of two tables apart.
   */
  function selectionFrom(alias = '', omitted: readonly string[] = [], prefix = ''): string {
    const selected = properties
      .filter(([property]) => !omitted.includes(property))
      .map(([property, column]) => {
        const source = alias + columns.get(property);
        return `${isTime(column) ? dialect.asMilliseconds(source) : source} as ${quote(prefix + property)}`;
      });
    return selected.join(', ');
  }

  /** Returns a record of a row whose columns have names with this prefix. */
  function readFrom(prefix: string, row: Record<string, unknown>): object {
    const record: Record<string, unknown> = {};
    for (const { property, read } of readers) {
      // A column that was not selected is undefined.
      const value = row[prefix + property];
      record[property] = value == null ? null : read(value);
    }
    return record;
  }

  return {
    name: qualified(dialect.schema, name),
    key: columns.get(key)!,
    column: (property: string) => columns.get(property)!,
    selection: selectionFrom(),
    selectionFrom,
    read: (row: Record<string, unknown>): object => readFrom('', row),
    readFrom,
  };
}

export type Table = ReturnType<typeof tableOf>;

export type Statement = ReturnType<typeof compose>;

/** Composes one statement about a table; values are bound in the order of the text. */
export function compose(table: Table, dialect: SqlDialect) {
  const { column } = table;
  const values: unknown[] = [];
  const place = (value: unknown) => dialect.placeholder(values.push(dialect.parameter(asParameter(value))));
  const bind = (value: unknown) =>
    value instanceof FromNow ? dialect.fromNow(place(value.ms)) : place(value);

  function condition(property: string, value: Condition[string]): string {
    const name = column(property);
    if (value === null) return `${name} is null`;
    if (typeof value !== 'object' || value instanceof Date) return `${name} = ${bind(value)}`;
    if ('$has' in value) return dialect.hasText(name, bind(value.$has));
    if ('$checked' in value) return `${dialect.unindexed(name)} = ${bind(value.$checked)}`;
    if ('$in' in value) return `${name} in (${value.$in.map(bind).join(', ')})`;
    if ('$nin' in value) return `${name} not in (${value.$nin.map(bind).join(', ')})`;
    if ('$gt' in value) {
      const above = `${name} > ${bind(value.$gt)}`;
      if (value.$lte === undefined) return above;
      // SQLite would estimate a range as so narrow that it reads the index and sorts the result.
      return `${above} and ${dialect.unindexed(name)} <= ${bind(value.$lte)}`;
    }
    if ('$gte' in value) {
      const from = `${name} >= ${bind(value.$gte)}`;
      return value.$lt === undefined ? from : `${from} and ${name} < ${bind(value.$lt)}`;
    }
    return '$lt' in value ? `${name} < ${bind(value.$lt)}` : `${name} <= ${bind(value.$lte)}`;
  }
  return {
    table,
    values,
    bind,
    conditions: (where: Condition) =>
      Object.entries(where).map(([property, value]) => condition(property, value)),
    /** Returns the condition for the rows of one page, as opposed to those of the whole list. */
    behind(page: Page | undefined, orderOf: (property: string) => string): string[] {
      const { after, orderBy, direction } = page ?? {};
      if (!after || !orderBy) return [];
      const sign = direction === 'asc' ? '>' : '<';
      return [`(${orderBy.map(orderOf).join(', ')}) ${sign} (${after.map(bind).join(', ')})`];
    },
    searchConditions(search: Selection['search']): string[] {
      if (!search) return [];
      const found = search.properties.map(property => dialect.isFound(column(property), search.text, bind));
      return [`(${found.join(' or ')})`];
    },
    /** The records have the same properties, in the same order. */
    insert(...records: [object, ...object[]]): string {
      const names = Object.keys(records[0]).map(column);
      const rows = records.map(record => `(${Object.values(record).map(bind).join(', ')})`);
      return `insert into ${table.name} (${names.join(', ')}) values ${rows.join(', ')}`;
    },
    assignments({ set = {}, increment = {}, raise = {}, cutOffAt, merge = {}, choose = {} }: Patch): string {
      const assigned = [
        ...Object.entries(set).map(([name, value]) => [column(name), bind(value)]),
        ...Object.entries(increment).map(([name, by]) => [column(name), `${column(name)} + ${bind(by)}`]),
        ...Object.entries(raise).map(([name, to]) => [
          column(name),
          dialect.greatest(`coalesce(${column(name)}, ${bind(to)})`, bind(to)),
        ]),
        ...Object.entries(merge).map(([name, given]) => [
          column(name),
          dialect.mergeJson(column(name), bind(given)),
        ]),
        ...Object.entries(choose).map(([name, { known, given }]) => [
          column(name),
          dialect.chooseJson(column(name), bind(known), bind(given)),
        ]),
      ];
      if (cutOffAt) {
        const cutoff = column('tokensInvalidatedAfter');
        const latest = dialect.greatest(
          bind(cutOffAt),
          `coalesce(${column('lastIssuedAt')}, ${bind(cutOffAt)})`,
          `coalesce(${dialect.plusOneMillisecond(cutoff)}, ${bind(cutOffAt)})`,
        );
        assigned.push([cutoff, latest]);
      }
      return assigned.map(([name, value]) => `${name} = ${value}`).join(', ');
    },
  };
}
