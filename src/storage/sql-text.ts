import type { EntityProperty } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/sql';
import type { AnyEntity, Condition, Patch, Selection } from './backend.ts';
import { asciiLower } from './grams.ts';

/** What SQLite and PostgreSQL spell differently. */
export interface SqlDialect {
  /** The later of the operands; none of them is null. */
  greatest(...operands: string[]): string;
  /** A time column plus one millisecond. */
  plusOneMillisecond(column: string): string;
  /** A time as milliseconds since 1970, as the driver's own number. */
  asMilliseconds(column: string): string;
  /** A value as the driver takes it. */
  parameter(value: unknown): unknown;
  placeholder(position: number): string;
  /** Whether a column contains a text of lower case: A to Z count as a to z, every other letter as itself. */
  contains(column: string, text: string): string;
}

/** Where a value of a statement stands in its text. */
export type Bind = (value: unknown) => string;

export const from = (source: string, conditions: string[]) =>
  conditions.length > 0 ? `from ${source} where ${conditions.join(' and ')}` : `from ${source}`;

/** How the ORM keeps an entity: its table, and a column for each property. */
export function tableOf(orm: MikroORM, entity: AnyEntity, dialect: SqlDialect) {
  const quote = (name: string) => orm.driver.getPlatform().quoteIdentifier(name);
  const { tableName, props } = orm.getMetadata().get(entity.meta.class);
  const isTime = (prop: EntityProperty) => prop.runtimeType === 'Date';
  const readerOf = (prop: EntityProperty) => {
    if (isTime(prop)) return (value: unknown) => new Date(Number(value));
    return prop.runtimeType === 'boolean' ? Boolean : (value: unknown) => value;
  };
  const readers = props.map(prop => ({ property: prop.name as string, read: readerOf(prop) }));
  const columns = new Map(props.map(prop => [prop.name as string, quote(prop.fieldNames[0]!)]));

  /** What is selected, each under its property's name; `alias` is that of the table in a join. */
  function selectionFrom(alias = ''): string {
    const selected = props.map(prop => {
      const source = alias + columns.get(prop.name);
      return `${isTime(prop) ? dialect.asMilliseconds(source) : source} as ${quote(prop.name)}`;
    });
    return selected.join(', ');
  }

  return {
    name: quote(tableName),
    key: quote(props.find(prop => prop.primary)!.fieldNames[0]!),
    column: (property: string) => columns.get(property)!,
    selection: selectionFrom(),
    selectionFrom,
    read(row: Record<string, unknown>): object {
      const record: Record<string, unknown> = {};
      for (const { property, read } of readers) {
        record[property] = row[property] === null ? null : read(row[property]);
      }
      return record;
    },
  };
}

export type Table = ReturnType<typeof tableOf>;

/** One statement about a table while it is written; values are bound in the order of the text. */
export function compose(table: Table, dialect: SqlDialect) {
  const { column } = table;
  const values: unknown[] = [];
  const bind = (value: unknown) => dialect.placeholder(values.push(dialect.parameter(value)));

  function condition(property: string, value: Condition[string]): string {
    const name = column(property);
    if (value === null) return `${name} is null`;
    if (typeof value !== 'object' || value instanceof Date) return `${name} = ${bind(value)}`;
    if ('$in' in value) return `${name} in (${value.$in.map(bind).join(', ')})`;
    if ('$gt' in value) return `${name} > ${bind(value.$gt)}`;
    return '$lt' in value ? `${name} < ${bind(value.$lt)}` : `${name} <= ${bind(value.$lte)}`;
  }
  return {
    table,
    values,
    bind,
    conditions: (where: Condition) =>
      Object.entries(where).map(([property, value]) => condition(property, value)),
    contains(search: Selection['search']): string[] {
      if (!search) return [];
      const text = asciiLower(search.text);
      const found = search.properties.map(property => dialect.contains(column(property), bind(text)));
      return [`(${found.join(' or ')})`];
    },
    insert(record: object): string {
      const names = Object.keys(record).map(column);
      return `insert into ${table.name} (${names.join(', ')}) values (${Object.values(record).map(bind).join(', ')})`;
    },
    assignments({ set = {}, increment = {}, raise = {}, cutOffAt }: Patch): string {
      const assigned = [
        ...Object.entries(set).map(([name, value]) => [column(name), bind(value)]),
        ...Object.entries(increment).map(([name, by]) => [column(name), `${column(name)} + ${bind(by)}`]),
        ...Object.entries(raise).map(([name, to]) => [
          column(name),
          dialect.greatest(`coalesce(${column(name)}, ${bind(to)})`, bind(to)),
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
