import type { Entities } from '../entities/index.ts';
import type { User } from '../entities/user.ts';

export type AnyEntity = Entities[keyof Entities];

/** A change of a row in one statement, so that it is atomic on each database without a transaction. */
export interface Patch {
  /** Properties and their new values. */
  set?: Record<string, unknown>;
  /** Adds to a number. */
  increment?: Record<string, number>;
  /** Raises a time to at least the given one; null counts as earlier than any. */
  raise?: Record<string, Date>;
  /**
   * Revokes: `tokensInvalidatedAfter` becomes the latest of this time, `lastIssuedAt`, and one millisecond after
   * what it was. Strictly later than before, so that whoever read the former value notices.
   */
  cutOffAt?: Date;
}

/** What a column is compared with; null asks for rows that have none. */
type Comparable = string | number | boolean | Date;
type Comparison =
  | Comparable
  | null
  | { $lt: Comparable }
  | { $lte: Comparable }
  | { $gt: Comparable }
  | { $in: Comparable[] };

/** Which rows: all of these hold, each for one property. */
export type Condition<Property extends string = string> = { readonly [P in Property]?: Comparison };

/** What a list is about: rows of a condition, one of whose texts contains what is searched for. */
export interface Selection<Property extends string = string> {
  where: Condition<Property>;
  /** A to Z are as good as a to z in it; every other letter is itself. */
  search?: { text: string; properties: readonly Property[] } | undefined;
}

/** Which part of a list, and in which order. */
export interface Page<Property extends string = string> {
  orderBy: Property;
  direction: 'asc' | 'desc';
  limit?: number | undefined;
  offset?: number | undefined;
}

/** A user as the session check needs it, with whether the token was logged out. */
export interface SessionRow {
  user: User;
  isBlacklisted: boolean;
}

/** Where the limits per client address are counted: the database's own client, and the bounds of its calls. */
export interface Counters {
  store:
    | { kind: 'sqlite'; client: object }
    | { kind: 'postgresql'; client: object }
    | { kind: 'mongodb'; client: object; database: string };
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** The few things that one database does differently from another, behind one meaning. */
export interface Backend {
  readonly name: 'sqlite' | 'postgresql' | 'mongodb';
  /** The entities that its ORM knows; an ORM takes no others, even of the same shape. */
  readonly entities: Entities;
  /**
   * Runs one piece of work within two seconds, or fails it; where the database asks for it, tries again.
   * Every read and write of rows passes through here.
   */
  guard<T>(work: () => Promise<T>): Promise<T>;
  /** The rows of this condition. */
  find(entity: AnyEntity, where: Condition): Promise<object[]>;
  /** User and blacklist in a single statement. */
  findSession(userId: string, jti: string): Promise<SessionRow | null>;
  /** Inserts a record. @throws the driver's own error when a unique index has such a row already */
  insert(entity: AnyEntity, record: object): Promise<void>;
  /** Changes the row that matches (its condition names a unique key) and answers 1, or 0 when none did. */
  update(entity: AnyEntity, where: Condition, patch: Patch): Promise<number>;
  /** Inserts a record or replaces the one with its id as a whole. */
  replace(entity: AnyEntity, record: object): Promise<void>;
  /** Deletes the rows of this condition and answers how many. */
  delete(entity: AnyEntity, where: Condition): Promise<number>;
  list(entity: AnyEntity, selection: Selection, page: Page): Promise<object[]>;
  /** How many there are of a selection; from `most` on it counts no further and answers `most`. */
  count(entity: AnyEntity, selection: Selection, most?: number): Promise<number>;
  /** Resolves once everything that was read before is sure to outlast a crash. */
  settle(): Promise<void>;
  /** Brings the schema to the latest version, and answers how many steps that took; safe from several processes at once. */
  install(): Promise<number>;
  /** What is wrong with the database, as a StorageError of one sentence that holds no password; else the error as it is. */
  explain(error: unknown): unknown;
  /** How the schema that is there compares with the one this version needs. */
  schemaState(): Promise<'current' | 'behind' | 'ahead'>;
  /** Fails when the database does not answer. */
  ping(): Promise<void>;
  /** The native client, for the package that counts requests. */
  counterStore(): Promise<Counters['store']>;
  close(): Promise<void>;
}
