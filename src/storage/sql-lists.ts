import type { BoundTable } from '../tables/bound.ts';
import { type Backend, holdsOf, type Page, type Selection } from './backend.ts';
import { listAndCount } from './list-and-count.ts';
import type { SqlParts } from './sql-driver.ts';
import { type compose as composeFor, from, holdersOf, type Statement } from './sql-text.ts';

/** The parts that lists need beside those of all statements. */
interface ListParts extends SqlParts {
  compose(bound: BoundTable): ReturnType<typeof composeFor>;
}

/** The rows of a list, without their order. */
interface Rows {
  statement: Statement;
  rows: string;
  /** Returns the columns that order them; a page of a role is in the order of the index of roles. */
  orderOf(property: string): string;
  hasCustomPlan: boolean;
}

/** The lists that SQLite and PostgreSQL share, and how many rows they have. */
export function sqlLists({ tables, dialect, driver, narrow, roleIndex, compose }: ListParts) {
  /**
   * Composes the rows that have a role, from the index of roles: in its order, which is that of the list, and without
   * reading any other row. Returns null for a selection without a role. A search reads the index of texts instead.
   */
  function composeHolders(bound: BoundTable, { where, search }: Selection, page?: Page): Rows | null {
    const { roles, ...others } = where;
    const holds = search ? null : holdsOf(roles);
    if (!holds) return null;
    const statement = compose(bound);
    const { table, bind, conditions, behind } = statement;
    const orderOf = (property: string) => `h.user_${bound.fields.get(property)}`;
    const wanted = [`h.role = ${bind(holds.$has)}`, ...behind(page, orderOf), ...conditions(others)];
    const rows = from(holdersOf(roleIndex, table, dialect), wanted);
    return { statement, rows, orderOf, hasCustomPlan: false };
  }

  /** Composes the rows of a selection; those of a search are read from the index of texts. */
  async function composeRows(bound: BoundTable, selection: Selection, page?: Page): Promise<Rows> {
    const { where, search } = selection;
    const narrowing = search && bound === tables.users ? await narrow(search.text, page) : null;
    const statement = compose(bound);
    const { table, bind, conditions, behind, searchConditions } = statement;
    // Qualified with its table: a bare name would mean the column of the result, which holds a time in another form that
    // no index has.
    const orderOf = (property: string) => `${table.name}.${table.column(property)}`;
    const wanted = () => [...conditions(where), ...behind(page, orderOf)];
    const composed = (rows: string): Rows => ({
      statement,
      rows,
      orderOf,
      hasCustomPlan: narrowing !== null,
    });

    if (narrowing === null || 'condition' in narrowing) {
      const narrowed = narrowing ? [narrowing.condition(bind)] : [];
      return composed(from(table.name, [...narrowed, ...wanted(), ...searchConditions(search)]));
    }
    const users = `cross join ${table.name} on ${table.name}.${table.key} = hit.user_id`;
    const isEveryHit = Object.keys(where).length === 0 && !page?.after;
    /** The hits that are wanted, of which the users are read only to decide that. */
    const hits = () =>
      isEveryHit ? `from ${narrowing.hits(bind)}` : from(`${narrowing.hits(bind)} ${users}`, wanted());
    if (!page) return composed(hits());
    const source = `${narrowing.hits(bind)} ${users}`;
    const nearest = page.limit === undefined ? [] : [narrowing.nearest(bind, hits(), page)];
    return composed(from(source, [...nearest, ...wanted()]));
  }

  async function list(bound: BoundTable, selection: Selection, page: Page): Promise<object[]> {
    const { statement, rows, orderOf, hasCustomPlan } =
      composeHolders(bound, selection, page) ?? (await composeRows(bound, selection, page));
    const { orderBy, direction, limit, offset = 0 } = page;
    const { table, values, bind } = statement;
    const order = orderBy.map(property => `${orderOf(property)} ${direction}`).join(', ');
    const part = limit === undefined ? '' : ` limit ${bind(limit)} offset ${bind(offset)}`;
    const sql = `select ${table.selection} ${rows} order by ${order}${part}`;
    return (await driver.read(sql, values, { hasCustomPlan })).map(table.read);
  }

  async function count(bound: BoundTable, selection: Selection, most?: number): Promise<number> {
    const { statement, rows, hasCustomPlan } =
      composeHolders(bound, selection) ?? (await composeRows(bound, selection));
    const { values, bind } = statement;
    const counted = most === undefined ? rows : `from (select 1 ${rows} limit ${bind(most)}) as counted`;
    const [row] = await driver.read(`select count(*) as total ${counted}`, values, { hasCustomPlan });
    return Number(row!.total);
  }

  /**
   * Reads a page out of all that the index finds, and counts them, in one statement: the index is then read once. Returns null
   * for another selection, and for one of which it finds too many for that.
   */
  async function listFew(bound: BoundTable, { where, search }: Selection, page: Page, most: number) {
    const narrowing = search && bound === tables.users ? await narrow(search.text, page) : null;
    if (!narrowing || !('condition' in narrowing) || !narrowing.isRare) return null;
    const { table, values, bind, conditions, behind, searchConditions } = compose(bound);
    const wanted = [narrowing.condition(bind), ...conditions(where), ...searchConditions(search)];
    const few = `select * ${from(table.name, wanted)} limit ${bind(most)}`;
    const { orderBy, direction, limit, offset = 0 } = page;
    const order = (orderOf: (property: string) => string) =>
      orderBy.map(property => `${orderOf(property)} ${direction}`).join(', ');
    const part = limit === undefined ? '' : ` limit ${bind(limit)} offset ${bind(offset)}`;
    const paged = `select ${table.selection} ${from('few', behind(page, table.column))} order by ${order(table.column)}${part}`;
    const rows = await driver.read(
      `with few as materialized (${few}), page as (${paged})
       select (select count(*) from few) as found, page.* from (values (1)) one left join page on true
       order by ${order(property => `page."${property}"`)}`,
      values,
      { hasCustomPlan: true },
    );
    const total = Number(rows[0]!.found);
    return total < most ? { rows: rows.filter(({ id }) => id !== null).map(table.read), total } : null;
  }

  return {
    list,
    count,

    listAndCount: listAndCount({ list, count, listFew }),
  } satisfies Partial<Backend>;
}
