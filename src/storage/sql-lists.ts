import { countedUpTo } from '../count-limits.ts';
import type { BoundTable } from '../tables/bound.ts';
import { type Backend, holdsOf, type Page, type Selection, whereOfPage } from './backend.ts';
import type { Narrowing, SqlParts } from './sql-driver.ts';
import { type compose as composeFor, from, holdersOf } from './sql-text.ts';

/** The number up to which the hits of a search are counted. */
export const countLimit = countedUpTo.search;
/** The last row of a page that is looked for among the newest hits; reading them costs more, the more there are. */
const nearLimit = 2500;
/** How many rows for each row of a page, in list order, are searched for it first: enough for a text that is common. */
const rowsEach = 4;
/** How many hits for each row of a page are read: other conditions pass over some. */
const hitsEach = 2;
/** Among how many rows, in list order, a page is looked for if the index of texts is not in that order. */
const scanLimit = 20_000;

/** What lists need beside the parts of all statements. */
interface ListParts extends SqlParts {
  compose(bound: BoundTable): ReturnType<typeof composeFor>;
}

/** The lists that SQLite and PostgreSQL share, and how many rows they have. */
export function sqlLists({ tables, dialect, driver, narrow, roleIndex, compose }: ListParts) {
  /** Reads a page from the index of texts, or from the first rows in list order. */
  async function readRows(
    bound: BoundTable,
    { where, search }: Selection,
    page: Page,
    narrowing: Narrowing | null,
    among?: number,
  ): Promise<object[]> {
    const { orderBy, direction, limit, offset = 0 } = page;
    const { table, values, bind, conditions, searchConditions } = compose(bound);
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
    bound: BoundTable,
    { where, search }: Selection,
    after?: { id: string; sign: string },
  ) {
    const { roles, ...others } = where;
    const holds = search ? null : holdsOf(roles);
    if (!holds) return null;
    const { table, values, bind, conditions } = compose(bound);
    const wanted = [`h.role = ${bind(holds.$has)}`];
    if (after) wanted.push(`h.user_id ${after.sign} ${bind(after.id)}`);
    wanted.push(...conditions(others));
    const rows = from(holdersOf(roleIndex, table, dialect), wanted);
    return { table, values, bind, rows };
  }

  /** Reads a page of the rows that have a role; null for a selection without one. */
  async function readHolders(
    bound: BoundTable,
    selection: Selection,
    { direction, after, limit, offset = 0 }: Page,
  ): Promise<object[] | null> {
    const sign = direction === 'asc' ? '>' : '<';
    const holders = composeHolders(bound, selection, after == null ? undefined : { id: after, sign });
    if (!holders) return null;
    const { table, values, bind, rows } = holders;
    const part = limit === undefined ? '' : ` limit ${bind(limit)} offset ${bind(offset)}`;
    const sql = `select ${table.selection} ${rows} order by h.user_id ${direction}${part}`;
    return (await driver.read(sql, values)).map(table.read);
  }

  const tryNarrow = async (bound: BoundTable, { search }: Selection, offset = 0) =>
    search && bound === tables.users ? narrow(search.text, offset) : null;

  /** Reads a page from the newest hits; null if they are not known, or too few of them are selected. */
  async function readNewest(
    { newest }: Narrowing,
    bound: BoundTable,
    selection: Selection,
    { after = null, ...page }: Page,
  ): Promise<object[] | null> {
    const { limit, offset = 0 } = page;
    if (!newest || limit === undefined || page.direction !== 'desc') return null;
    const hits = await newest(hitsEach * (offset + limit), after);
    if (!hits) return null;
    const rows = await readRows(bound, selection, page, hits);
    return hits.isAll || rows.length === limit ? rows : null;
  }

  async function listBy(narrowing: Narrowing | null, bound: BoundTable, selection: Selection, page: Page) {
    const holders = await readHolders(bound, selection, page);
    if (holders) return holders;
    const readIndex = () => readRows(bound, selection, page, narrowing);
    if (narrowing?.hits !== countLimit) return readIndex();
    const { limit, offset = 0 } = page;
    const last = offset + (limit ?? 0);
    // With so many hits, those of a page are often among the first rows, and reading in order needs no sorting.
    const readAmong = async (among: number) => {
      const rows = await readRows(bound, selection, page, null, among);
      return rows.length === limit ? rows : null;
    };
    const isNear = last <= nearLimit;
    return (
      (isNear ? await readAmong(rowsEach * last) : null) ??
      (isNear ? await readNewest(narrowing, bound, selection, page) : null) ??
      (await readAmong(scanLimit + 2 * last)) ??
      readIndex()
    );
  }

  function composeRows(narrowing: Narrowing | null, bound: BoundTable, { where, search }: Selection) {
    const { table, values, bind, conditions, searchConditions } = compose(bound);
    const wanted = [
      ...conditions(where),
      ...(narrowing ? [narrowing.condition(bind)] : []),
      ...searchConditions(search),
    ];
    return { values, bind, rows: from(table.name, wanted) };
  }

  async function countBy(
    narrowing: Narrowing | null,
    bound: BoundTable,
    selection: Selection,
    most?: number,
  ): Promise<number> {
    const { hits } = narrowing ?? {};
    const isAll = Object.keys(selection.where).length === 0;
    if (hits !== undefined && isAll && most !== undefined && most <= countLimit) return Math.min(hits, most);
    const { values, bind, rows } =
      composeHolders(bound, selection) ?? composeRows(narrowing, bound, selection);
    const counted = most === undefined ? rows : `from (select 1 ${rows} limit ${bind(most)}) as counted`;
    const [row] = await driver.read(`select count(*) as total ${counted}`, values, {
      hasCustomPlan: narrowing !== null,
    });
    return Number(row!.total);
  }

  return {
    list: async (bound, selection, page) =>
      listBy(await tryNarrow(bound, selection, page.offset), bound, selection, page),

    count: async (bound, selection, most) =>
      countBy(await tryNarrow(bound, selection), bound, selection, most),

    async listAndCount(bound, selection, page, most) {
      const narrowing = await tryNarrow(bound, selection, page.offset);
      const [rows, total] = await Promise.all([
        listBy(narrowing, bound, selection, page),
        countBy(narrowing, bound, selection, most),
      ]);
      return { rows, total };
    },
  } satisfies Partial<Backend>;
}
