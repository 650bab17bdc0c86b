import type { MikroORM } from '@mikro-orm/sql';
import type { Entities } from '../entities/index.ts';
import type { User } from '../entities/user.ts';
import type { AnyEntity, Backend, Condition, Page, Selection } from './backend.ts';
import { asciiLower } from './grams.ts';
import { type Bind, compose as composeFor, from, type SqlDialect, type Table, tableOf } from './sql-text.ts';

/** A driver that prepares each statement once, by its text. */
export interface Driver {
  /** Answers the rows. A statement whose best plan depends on the values is planned anew each time. */
  read(sql: string, values: unknown[], how?: { plannedAnew: boolean }): Promise<Record<string, unknown>[]>;
  /** Answers how many rows it wrote. */
  write(sql: string, values: unknown[]): Promise<number>;
}

/** What the index of the users' texts says of a search. */
export interface Narrowing {
  /** Holds for every user who contains the text, and is answered by the index. */
  condition(bind: Bind): string;
  /** How many contain the text, counted to `countedTo` and no further; absent where the database plans by itself. */
  hits?: number;
}

/**
 * Asks the index of the users' texts, for a page behind so many hits; null where reading in order is better. The text
 * is of lower case.
 */
export type Narrow = (text: string, offset: number) => Promise<Narrowing | null>;

/** How far the hits of a search are counted. */
export const countedTo = 10_000;
/** How many rows are looked through in their order for the page of a search that has many hits. */
const lookedThrough = 20_000;

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

  const compose = (entity: AnyEntity) => composeFor(tables.get(entity)!, dialect);

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

  const narrowed = async (entity: AnyEntity, { search }: Selection, offset = 0) =>
    search && entity === entities.user ? narrow(asciiLower(search.text), offset) : null;

  /** How many rows of a condition there are, up to so many. */
  async function countFirst(entity: AnyEntity, where: Condition, most: number): Promise<number> {
    const { table, values, bind, conditions } = compose(entity);
    const rows = from(table.name, conditions(where));
    const sql = `select count(*) as total from (select 1 ${rows} limit ${bind(most)}) as counted`;
    return Number((await driver.read(sql, values))[0]!.total);
  }

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
      const { limit, offset = 0 } = page;
      const narrowing = await narrowed(entity, selection, offset);
      if (narrowing?.hits !== countedTo) return readPage(entity, selection, page, narrowing);
      // Of so many, enough for a page are most often among the first, and reading in order needs no sorting.
      const among = lookedThrough + 2 * offset;
      const found = await readPage(entity, selection, page, null, among);
      const isAll = found.length === limit || (await countFirst(entity, selection.where, among)) < among;
      return isAll ? found : readPage(entity, selection, page, narrowing);
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
