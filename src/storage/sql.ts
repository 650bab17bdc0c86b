import type { EntityProperty } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/sql';
import type { Entities } from '../entities/index.ts';
import type { User } from '../entities/user.ts';
import type { AnyEntity, Backend, Condition, Page, Patch, Selection } from './backend.ts';
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

/** A driver that prepares each statement once, by its text. */
export interface Driver {
  /** Answers the rows. A statement whose best plan depends on the values is planned anew each time. */
  read(sql: string, values: unknown[], how?: { plannedAnew: boolean }): Promise<Record<string, unknown>[]>;
  /** Answers how many rows it wrote. */
  write(sql: string, values: unknown[]): Promise<number>;
}

/** Where a value of a statement stands in its text. */
export type Bind = (value: unknown) => string;

/** What the index of the users' texts says of a search. */
export interface Narrowing {
  /** Holds for every user who contains the text, and is answered by the index. */
  condition(bind: Bind): string;
  /** How many contain the text, counted to `countedTo` and no further; absent where the database plans by itself. */
  hits?: number;
}

/** Asks the index of the users' texts; null where it can't tell. The text is of lower case. */
export type Narrow = (text: string) => Promise<Narrowing | null>;

/** How far the hits of a search are counted. */
export const countedTo = 10_000;
/** How many rows are looked through in their order for the page of a search that has many hits. */
const lookedThrough = 20_000;

const from = (source: string, conditions: string[]) =>
  conditions.length > 0 ? `from ${source} where ${conditions.join(' and ')}` : `from ${source}`;

/** How the ORM keeps an entity: its table, and a column for each property. */
function tableOf(orm: MikroORM, entity: AnyEntity, dialect: SqlDialect) {
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

type Table = ReturnType<typeof tableOf>;

/**
 * The statements that SQLite and PostgreSQL share. Tables and columns are those of the ORM, which would write each
 * value into the text and have the database read it anew each time; here every value is bound.
 */
export function sqlStatements(
  orm: MikroORM,
  entities: Entities,
  dialect: SqlDialect,
  driver: Driver,
  narrow: Narrow,
) {
  const tables = new Map<AnyEntity, Table>(
    Object.values(entities).map(entity => [entity, tableOf(orm, entity, dialect)]),
  );

  /** One statement while it is written; values are bound in the order of the text. */
  function compose(entity: AnyEntity) {
    const table = tables.get(entity)!;
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

  /** One page of a list, out of the index of texts, or out of so many rows in its order. */
  async function readPage(
    entity: AnyEntity,
    { where, search }: Selection,
    { orderBy, direction, limit, offset = 0 }: Page,
    narrowing: Narrowing | null,
    among?: number,
  ): Promise<object[]> {
    const { table, values, bind, conditions, contains } = compose(entity);
    const order = `order by ${table.column(orderBy)} ${direction}`;
    let wanted = conditions(where);
    let source = table.name;
    if (among !== undefined) {
      source = `(select * ${from(source, wanted)} ${order} limit ${bind(among)}) as first`;
      wanted = [];
    }
    if (narrowing) wanted.push(narrowing.condition(bind));
    const rows = from(source, [...wanted, ...contains(search)]);
    const part = limit === undefined ? '' : ` limit ${bind(limit)} offset ${bind(offset)}`;
    const sql = `select ${table.selection} ${rows} ${order}${part}`;
    const found = await driver.read(sql, values, { plannedAnew: narrowing !== null });
    return found.map(table.read);
  }

  const narrowed = async (entity: AnyEntity, { search }: Selection) =>
    search && entity === entities.user ? narrow(asciiLower(search.text)) : null;

  const users = tables.get(entities.user)!;
  const blacklist = tables.get(entities.blacklist)!;
  const sessionSql = `select ${users.selectionFrom('u.')}, b.${blacklist.column('jti')} as blacklisted
    from ${users.name} u left join ${blacklist.name} b on b.${blacklist.column('jti')} = ${dialect.placeholder(1)}
    where u.${users.column('id')} = ${dialect.placeholder(2)}`;

  return {
    async find(entity, where) {
      const { table, values, conditions } = compose(entity);
      const rows = await driver.read(
        `select ${table.selection} ${from(table.name, conditions(where))}`,
        values,
      );
      return rows.map(table.read);
    },

    async findSession(userId, jti) {
      const [row] = await driver.read(sessionSql, [jti, userId]);
      return row ? { user: users.read(row) as User, isBlacklisted: row.blacklisted !== null } : null;
    },

    async insert(entity, record) {
      const { values, insert } = compose(entity);
      await driver.write(insert(record), values);
    },

    async update(entity, where, patch) {
      const { table, values, conditions, assignments } = compose(entity);
      // A change of nothing still tells whether the row is there.
      const assigned = assignments(patch) || `${table.key} = ${table.key}`;
      return driver.write(
        `update ${table.name} set ${assigned} where ${conditions(where).join(' and ')}`,
        values,
      );
    },

    async replace(entity, record) {
      const { table, values, insert } = compose(entity);
      const names = Object.keys(record).map(table.column);
      const replaced = names.map(name => `${name} = excluded.${name}`).join(', ');
      await driver.write(`${insert(record)} on conflict (${table.key}) do update set ${replaced}`, values);
    },

    async delete(entity, where) {
      const { table, values, conditions } = compose(entity);
      return driver.write(`delete ${from(table.name, conditions(where))}`, values);
    },

    async list(entity, selection, page) {
      const narrowing = await narrowed(entity, selection);
      const { limit, offset = 0 } = page;
      if (narrowing?.hits !== countedTo) return readPage(entity, selection, page, narrowing);
      // Of so many, enough for a page are most often among the first, and reading in order needs no sorting.
      const found = await readPage(entity, selection, page, null, lookedThrough + 2 * offset);
      return found.length === limit ? found : readPage(entity, selection, page, narrowing);
    },

    async count(entity, selection, most) {
      const narrowing = await narrowed(entity, selection);
      const { hits } = narrowing ?? {};
      const isAll = Object.keys(selection.where).length === 0;
      if (hits !== undefined && most !== undefined && most <= countedTo && isAll) return Math.min(hits, most);
      const { table, values, bind, conditions, contains } = compose(entity);
      const rows = from(table.name, [
        ...conditions(selection.where),
        ...(narrowing && hits !== countedTo ? [narrowing.condition(bind)] : []),
        ...contains(selection.search),
      ]);
      const counted = most === undefined ? rows : `from (select 1 ${rows} limit ${bind(most)}) as counted`;
      const sql = `select count(*) as total ${counted}`;
      const [row] = await driver.read(sql, values, { plannedAnew: narrowing !== null });
      return Number(row!.total);
    },

    // What is not stored yet is not shown either.
    settle: async () => {},
  } satisfies Partial<Backend>;
}
