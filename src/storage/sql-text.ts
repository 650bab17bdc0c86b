import { type EntityProperty, JsonType } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/sql';
import { type AnyEntity, type Condition, FromNow, type Patch, type Selection } from './backend.ts';
import { metadataOf } from './orm-entities.ts';
import { asciiLower, isShort } from './search/grams.ts';

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
  /**
   * Returns an expression for the position of a lower-case text in a column, from 1 on, or 0: A to Z count as a to z,
   * other letters as themselves.
   */
  positionIn(column: string, text: string): string;
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
 * Returns the users that have a role, from the index of roles: in its order, which is that of ids. A row of the index alone
 * proves nothing, because another program may have written it: the user must have the role.
 */
export function holdersOf(roleIndex: string, { name, key, column }: Table, dialect: SqlDialect): string {
  const isHolder = (user: string) =>
    `${user}.${key} = h.user_id and ${dialect.hasText(`${user}.${column('roles')}`, 'h.role')}`;
  return dialect.joinEach(`${roleIndex} h`, name, isHolder);
}

export const from = (source: string, conditions: string[]) =>
  conditions.length > 0 ? `from ${source} where ${conditions.join(' and ')}` : `from ${source}`;

/** Returns how the ORM stores an entity: its table, and a column for each property. */
export function tableOf(orm: MikroORM, entity: AnyEntity, dialect: SqlDialect) {
  const quote = (name: string) => orm.driver.getPlatform().quoteIdentifier(name);
  const { tableName, props } = metadataOf(orm, entity);
  const isTime = (prop: EntityProperty) => prop.runtimeType === 'Date';
  const readerOf = (prop: EntityProperty) => {
    if (isTime(prop)) return (value: unknown) => new Date(Number(value));
    if (prop.customType instanceof JsonType) return readJson;
    return prop.runtimeType === 'boolean' ? Boolean : (value: unknown) => value;
  };
  const readers = props.map(prop => ({ property: prop.name as string, read: readerOf(prop) }));
  const columns = new Map(props.map(prop => [prop.name as string, quote(prop.fieldNames[0]!)]));

  /** Returns the selected columns, each under its property's name; `alias` is that of the table in a join. */
  function selectionFrom(alias = '', omitted: readonly string[] = []): string {
    const selected = props
      .filter(prop => !omitted.includes(prop.name))
      .map(prop => {
        const source = alias + columns.get(prop.name);
        return `${isTime(prop) ? dialect.asMilliseconds(source) : source} as ${quote(prop.name)}`;
      });
    return selected.join(', ');
  }

  const { schema } = dialect;

  return {
    name: schema === undefined ? quote(tableName) : `${quote(schema)}.${quote(tableName)}`,
    key: quote(props.find(prop => prop.primary)!.fieldNames[0]!),
    column: (property: string) => columns.get(property)!,
    selection: selectionFrom(),
    selectionFrom,
    read(row: Record<string, unknown>): object {
      const record: Record<string, unknown> = {};
      for (const { property, read } of readers) {
        // A column that was not selected is undefined.
        record[property] = row[property] == null ? null : read(row[property]);
      }
      return record;
    },
  };
}

export type Table = ReturnType<typeof tableOf>;

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
    searchConditions(search: Selection['search']): string[] {
      if (!search) return [];
      const text = asciiLower(search.text);
      const is = isShort(text) ? '= 1' : '> 0';
      const found = search.properties.map(
        property => `${dialect.positionIn(column(property), bind(text))} ${is}`,
      );
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
