import type { BoundTables } from '../tables/bind.ts';
import type { Page } from './backend.ts';
import type { Bind, SqlDialect } from './sql-text.ts';

/** A driver that prepares each statement once, identified by its text. */
export interface Driver {
  /** Returns the rows. A statement whose best plan depends on the values is planned again each time. */
  read(sql: string, values: unknown[], how?: { hasCustomPlan: boolean }): Promise<Record<string, unknown>[]>;
  /** Returns how many rows it wrote. */
  write(sql: string, values: unknown[]): Promise<number>;
}

/** How the index of the users' texts is read for a search (docs/search.md). */
export type Narrowing = ByPlanner | ByHits;

/** The database's planner decides between the index and the users in their order. */
interface ByPlanner {
  /** Whether so few users are probably found that they can be counted and read at once. */
  isRare: boolean;
  /** Returns a condition that holds for every user whom the search finds, and that the index can evaluate. */
  condition(bind: Bind): string;
}

/** The index is in the order of the list, and its hits are exactly the users whom the search finds. */
interface ByHits {
  /** Returns the table of hits, named `hit`. */
  hits(bind: Bind): string;
  /**
   * Returns a condition that holds for the hits of a page, newest first, and for few others. `rows` are the hits of which
   * the page is one.
   */
  nearest(bind: Bind, rows: string, page: Page): string;
}

/** Uses the index of the users' texts for a page; returns null when reading in list order is better. */
export type Narrow = (text: string, page?: Page) => Narrowing | null | Promise<Narrowing | null>;

/** The parts that the statements need beside the ORM. */
export interface SqlParts {
  tables: BoundTables;
  dialect: SqlDialect;
  driver: Driver;
  narrow: Narrow;
  /** The index of the users' roles, quoted. */
  roleIndex: string;
}
