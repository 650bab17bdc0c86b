import type { BoundTables } from '../tables/bind.ts';
import type { Bind, SqlDialect } from './sql-text.ts';

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
  /**
   * Returns users by whom a page, newest first, can be decided, or null if the index is not in that order: of the users
   * behind an id whom the search finds, at least the newest `most`.
   */
  newest?(most: number, after: string | null): Promise<Newest | null>;
}

/** Users whom a search may find; no other hit is newer than the oldest of them. */
interface Newest {
  /** Returns a condition that holds for them alone. */
  condition(bind: Bind): string;
  /** Whether there is no other hit at all. */
  isAll: boolean;
}

/** Uses the index of the users' texts for a page at this offset; returns null when reading in list order is better. */
export type Narrow = (text: string, offset: number) => Promise<Narrowing | null>;

/** What the statements need beside the ORM. */
export interface SqlParts {
  tables: BoundTables;
  dialect: SqlDialect;
  driver: Driver;
  narrow: Narrow;
  /** The index of the users' roles, quoted. */
  roleIndex: string;
}
