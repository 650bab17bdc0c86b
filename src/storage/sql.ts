import type { MikroORM } from '@mikro-orm/sql';
import type { Entities } from '../entities/index.ts';
import { type AnyEntity, type Backend, holdsOf, type Page, type Selection, whereOfPage } from './backend.ts';
import {
  type Bind,
  compose as composeFor,
  from,
  holdersOf,
  type SqlDialect,
  type Table,
  tableOf,
} from './sql-text.ts';

/** A driver that prepares each statement once, identified by its text. */
export interface Driver {
  /** Returns the rows. A statement whose best plan depends on the values is planned again each time. */
  read(sql: string, values: unknown[], how?: { hasCustomPlan: boolean }): Promise<Record<string, unknown>[]>;
  /** Returns how many rows it wrote. */
  write(sql: string, values: unknown[]): Promise<number>;
}

/** What the index of the users' texts contributes to a search (docs/search.md). */
export interface Narrowing {
  /** Returns a condition that holds for every user whom the search finds, and that the index can evaluate. */
  condition(bind: Bind): string;
  /** How many users it finds, counted up to `countLimit`; absent if the database's planner decides by itself. */
  hits?: number;
}

/** Uses the index of the users' texts for a page at this offset; returns null when reading in list order is better. */
export type Narrow = (text: string, offset: number) => Promise<Narrowing | null>;

/** What the statements need beside the ORM and a driver. */
interface SqlParts {
  entities: Entities;
  dialect: SqlDialect;
  driver: Driver;
  narrow: Narrow;
  /** The index of the users' roles, quoted. */
  roleIndex: string;
}

/** The number up to which the hits of a search are counted. */
export const countLimit = 1000;
/** Among how many rows, in list order, a page is looked for when the search has more hits than are counted. */
const scanLimit = 20_000;

/**
 * The statements that SQLite and PostgreSQL share. Tables and columns are those of the ORM. The ORM itself is not used: it
 * would write each value into the text and make the database parse it again each time; here every value is bound.
 */
export function sqlStatements(orm: MikroORM, parts: SqlParts) {
  const { entities, dialect, driver, narrow, roleIndex } = parts;
  const tables = new Map<AnyEntity, Table>(
    Object.values(entities).map(entity => [entity, tableOf(orm, entity, dialect)]),
  );

  const compose = (entity: AnyEntity) => composeFor(tables.get(entity)!, dialect);

  /** Reads a page from the index of texts, or from the first rows in list order. */
  async function readRows(
    entity: AnyEntity,
    { where, search }: Selection,
    page: Page,
    narrowing: Narrowing | null,
    among?: number,
  ): Promise<object[]> {
    const { orderBy, direction, limit, offset = 0 } = page;
    const { table, values, bind, conditions, searchConditions } = compose(entity);
    // Qualified with its table: a bare name would mean the column of the result, which holds a time in another form that
    // no index has.
    const orderOf = (source: string) => `order by ${source}.${table.column(orderBy)} ${direction}`;
    let wanted = conditions(whereOfPage(where, page));
    let source = table.name;
    let order = orderOf(table.name);
    if (among !== undefined) {
      source = `(select * ${from(source, wanted)} ${order} limit ${bind(among)}) as first`;
      order = orderOf('first');
      wanted = [];
    }
    if (narrowing) wanted.push(narrowing.condition(bind));
    const rows = from(source, [...wanted, ...searchConditions(search)]);
    const part = limit === undefined ? '' : ` limit ${bind(limit)} offset ${bind(offset)}`;
    const sql = `select ${table.selection} ${rows} ${order}${part}`;
    return (await driver.read(sql, values, { hasCustomPlan: narrowing !== null })).map(table.read);
  }

  /**
   * Composes the rows that have a role, from the index of roles: in its order, which is that of ids, and without reading
   * any other row. Returns null for a selection without a role. A search reads the index of texts instead.
   */
  function composeHolders(
    entity: AnyEntity,
    { where, search }: Selection,
    after?: { id: string; sign: string },
  ) {
    const { roles, ...others } = where;
    const holds = search ? null : holdsOf(roles);
    if (!holds) return null;
    const { table, values, bind, conditions } = compose(entity);
    const wanted = [`h.role = ${bind(holds.$has)}`];
    if (after) wanted.push(`h.user_id ${after.sign} ${bind(after.id)}`);
    wanted.push(...conditions(others));
    const rows = from(holdersOf(roleIndex, table, dialect), wanted);
    return { table, values, bind, rows };
  }

  /** Reads a page of the rows that have a role; null for a selection without one. */
  async function readHolders(
    entity: AnyEntity,
    selection: Selection,
    { direction, after, limit, offset = 0 }: Page,
  ): Promise<object[] | null> {
    const sign = direction === 'asc' ? '>' : '<';
    const holders = composeHolders(entity, selection, after == null ? undefined : { id: after, sign });
    if (!holders) return null;
    const { table, values, bind, rows } = holders;
    const part = limit === undefined ? '' : ` limit ${bind(limit)} offset ${bind(offset)}`;
    const sql = `select ${table.selection} ${rows} order by h.user_id ${direction}${part}`;
    return (await driver.read(sql, values)).map(table.read);
  }

  const tryNarrow = async (entity: AnyEntity, { search }: Selection, offset = 0) =>
    search && entity === entities.user ? narrow(search.text, offset) : null;

  async function listBy(narrowing: Narrowing | null, entity: AnyEntity, selection: Selection, page: Page) {
    const holders = await readHolders(entity, selection, page);
    if (holders) return holders;
    if (narrowing?.hits !== countLimit) return readRows(entity, selection, page, narrowing);
    // With so many hits, those of a page are usually among the first rows, and reading in order needs no sorting.
    const among = scanLimit + 2 * (page.offset ?? 0);
    const rows = await readRows(entity, selection, page, null, among);
    return rows.length === page.limit ? rows : readRows(entity, selection, page, narrowing);
  }

  function composeRows(narrowing: Narrowing | null, entity: AnyEntity, { where, search }: Selection) {
    const { table, values, bind, conditions, searchConditions } = compose(entity);
    const wanted = [
      ...conditions(where),
      ...(narrowing ? [narrowing.condition(bind)] : []),
      ...searchConditions(search),
    ];
    return { values, bind, rows: from(table.name, wanted) };
  }

  async function countBy(
    narrowing: Narrowing | null,
    entity: AnyEntity,
    selection: Selection,
    most?: number,
  ): Promise<number> {
    const { hits } = narrowing ?? {};
    const isAll = Object.keys(selection.where).length === 0;
    if (hits !== undefined && isAll && most !== undefined && most <= countLimit) return Math.min(hits, most);
    const { values, bind, rows } =
      composeHolders(entity, selection) ?? composeRows(narrowing, entity, selection);
    const counted = most === undefined ? rows : `from (select 1 ${rows} limit ${bind(most)}) as counted`;
    const [row] = await driver.read(`select count(*) as total ${counted}`, values, {
      hasCustomPlan: narrowing !== null,
    });
    return Number(row!.total);
  }

  return {
    async find(entity, where) {
      const { table, values, conditions } = compose(entity);
      const rows = await driver.read(
        `select ${table.selection} ${from(table.name, conditions(where))}`,
        values,
      );
      return rows.map(table.read);
    },

    async insert(entity, record) {
      const { values, insert } = compose(entity);
      await driver.write(insert(record), values);
    },

    async insertMany(entity, [first, ...others]) {
      if (!first) return [];
      const { table, values, insert } = compose(entity);
      const sql = `${insert(first, ...others)} on conflict do nothing returning ${table.key} as id`;
      return (await driver.read(sql, values)).map(({ id }) => String(id));
    },

    async update(entity, where, patch) {
      const { table, values, conditions, assignments } = compose(entity);
      // An empty change still shows whether the row exists.
      const assigned = assignments(patch) || `${table.key} = ${table.key}`;
      const rows = await driver.read(
        `update ${table.name} set ${assigned} where ${conditions(where).join(' and ')} returning ${table.selection}`,
        values,
      );
      return rows.map(table.read)[0] ?? null;
    },

    async claim(entity, where, patch, { orderBy, limit }) {
      const { table, values, bind, conditions, assignments } = compose(entity);
      const assigned = assignments(patch);
      const due = `select ${table.key} ${from(table.name, conditions(where))} order by ${table.column(orderBy)} limit ${bind(limit)}`;
      const rows = await driver.read(
        `update ${table.name} set ${assigned} where ${dialect.isClaimed(table.key, due)} returning ${table.selection}`,
        values,
      );
      return rows.map(table.read);
    },

    async tally(entity, record, { unique, number }) {
      const { table, values, insert } = compose(entity);
      const counted = table.column(number);
      const added = `${counted} = ${table.name}.${counted} + excluded.${counted}`;
      await driver.write(
        `${insert(record)} on conflict (${table.column(unique)}) do update set ${added}`,
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

    list: async (entity, selection, page) =>
      listBy(await tryNarrow(entity, selection, page.offset), entity, selection, page),

    count: async (entity, selection, most) =>
      countBy(await tryNarrow(entity, selection), entity, selection, most),

    async listAndCount(entity, selection, page, most) {
      const narrowing = await tryNarrow(entity, selection, page.offset);
      const [rows, total] = await Promise.all([
        listBy(narrowing, entity, selection, page),
        countBy(narrowing, entity, selection, most),
      ]);
      return { rows, total };
    },

    async shortenWindow(key, leftMs) {
      const { table, values, conditions, assignments } = compose(entities.rateLimit);
      const expire = Date.now() + leftMs;
      const assigned = assignments({ set: { expire } });
      const where = conditions({ key, expire: { $gt: expire } }).join(' and ');
      await driver.write(`update ${table.name} set ${assigned} where ${where}`, values);
    },

    // A read never returns what is not stored durably.
    awaitDurability: async () => {},
  } satisfies Partial<Backend>;
}
