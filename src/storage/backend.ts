import type { BoundTable } from '../tables/bound.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import type { PasswordFailures } from '../tables/password-failures.ts';
import type { PendingRegistration } from '../tables/pending-registration.ts';
import type { User } from '../tables/user.ts';
import type { ErrorRules } from './errors.ts';
import type { SchemaState } from './schema-state.ts';
import type { Transport } from './transport.ts';
import type { Remark } from './versions.ts';

/** One way in which the tables differ from what this version needs. */
export interface Difference {
  /** One line: what is wrong, and where. */
  text: string;
  /** Whether requests fail because of it, so that the instance is not ready. */
  isFatal: boolean;
}

/** A change to a row, made in one statement, so that it is atomic on each database without a transaction. */
export interface Patch {
  /** Properties and their new values. */
  set?: Record<string, unknown>;
  /** Adds to a number. */
  increment?: Record<string, number>;
  /** Raises a time to at least the given one; null counts as earlier than any time. */
  raise?: Record<string, Date>;
  /**
   * Revokes tokens: `tokensInvalidatedAfter` becomes the latest of this time, `lastIssuedAt`, and one millisecond after
   * its former value. It always grows, so that a caller that read the former value detects the change (compare-and-set).
   */
  cutOffAt?: Date;
  /** Sets the given values in a property that is an object; null removes one. The others stay as they are. */
  merge?: Record<string, Readonly<Record<string, unknown>>>;
  /** Sets which of the known texts a property that is a list has. The others stay as they are. */
  choose?: Record<string, { known: readonly string[]; given: readonly string[] }>;
}

/**
 * A time by the clock of the database server; for SQLite, by the clock of this machine. It is a value like any other in a
 * record, a change and a comparison with `$lte`.
 */
export class FromNow {
  /** How long after the statement runs, in milliseconds. */
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }
}

export const fromNow = (ms: number) => new FromNow(ms);

/** The comparison of a column; null selects rows without a value. */
export type Comparable = string | number | boolean | Date;
type Comparison =
  | Comparable
  | null
  | { $lt: Comparable }
  | { $lte: Comparable | FromNow }
  | { $gt: Comparable; $lte?: Comparable }
  | { $gte: Comparable; $lt?: Comparable }
  | Checked
  | { $in: (Comparable | null)[] }
  | { $nin: Comparable[] }
  | Holds;

/** Selects the users whose list of roles has this text; only `list` and `count` know it. */
export interface Holds {
  $has: string;
}

/**
 * An equal value, compared row by row: another comparison of the condition selects the rows, and this one must not be taken
 * for a better way to them.
 */
export interface Checked {
  $checked: Comparable;
}

/** Selects rows for which all comparisons hold, one for each property. */
export type Condition<Property extends string = string> = { readonly [P in Property]?: Comparison };

/**
 * The rows of a list: those that match a condition and in which one of the given text properties contains the searched
 * text (docs/search.md).
 */
export interface Selection<Property extends string = string> {
  where: Condition<Property>;
  /** Letters match their other case (docs/search.md). */
  search?: { text: string; properties: readonly Property[] } | undefined;
}

/** Which part of a list to read, and in which order. */
export interface Page<Property extends string = string> {
  /** The first property decides, a second one between rows of the same value. */
  orderBy: readonly [Property] | readonly [Property, Property];
  direction: 'asc' | 'desc';
  /** Only rows behind these values of `orderBy`. */
  after?: readonly Comparable[] | null | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

/** The values of a text property that many rows share. */
export interface Sharing<Property extends string = string> {
  property: Property;
  /** How many rows share each value at least. */
  least: number;
  /** Only values without this character, `prefix` at their beginning apart. Neither has a meaning in a pattern. */
  without: string;
  prefix: string;
  /** The time by which values are ordered: those of the latest row come first. */
  latest: Property;
  limit: number;
}

/** Returns what a comparison asks of a list, or null for any other comparison. */
export const holdsOf = (comparison: Comparison | undefined): Holds | null =>
  typeof comparison === 'object' && comparison !== null && '$has' in comparison ? comparison : null;

/** Returns the value of a comparison that is checked row by row, or null for any other comparison. */
export const checkedOf = (comparison: unknown): Checked | null =>
  typeof comparison === 'object' && comparison !== null && '$checked' in comparison
    ? (comparison as Checked)
    : null;

/** The user of a session token, and the token's id. */
export interface SessionKey {
  userId: string;
  jti: string;
}

/** An access token of a session: `jti` is the id of the session. */
export interface TokenKey extends SessionKey {
  tokenJti: string;
}

/** The columns of a user that the session check needs, and whether the token, or its session, was ended. */
export interface SessionRow {
  user: User;
  isBlacklisted: boolean;
  /** When the session was last used; absent while no session ends by being unused, null without a record. */
  lastSeenAt?: Date | null;
}

/** A row of an account, and the account. */
export interface OwnedRow<T = object> {
  row: T;
  user: User;
}

/** The unique property by which a row is found. */
export interface OwnedKey<Property extends string = string> {
  property: Property;
  value: string;
  /** The id of a token: where that token was ended, the row is not found. */
  tokenJti?: string;
}

/** The address of a sign-in. */
export interface SignInKey {
  email: string;
  /** The subject of the row of failures that is read where the address has no password; null where none are counted. */
  decoy: string | null;
}

/** The rows from which a sign-in with a password starts. */
export interface SignInRows {
  user: User | null;
  pending: PendingRegistration | null;
  /** The slots of the lockout. */
  attempts: LoginAttempt[];
  /** Of the account that has a password, else of the decoy. */
  failures: PasswordFailures | null;
}

/** Where the rate limits per client address are counted: the database's own client, and the deadline of its calls. */
export interface Counters {
  store:
    | { kind: 'sqlite'; client: object }
    | { kind: 'postgresql'; client: object; schema: string | undefined }
    | { kind: 'mongodb'; client: object; database: string };
  /** The table or collection of the counts. */
  table: string;
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Makes a window end within this many milliseconds if it would end later; its count stays. */
  shortenWindow(key: string, leftMs: number): Promise<void>;
}

/** How the connection to the database is made. */
export interface ConnectionReport {
  /** Null for a file. */
  transport: Transport | null;
  /** The connection pooler between Gatehouse and the database, if there is one. */
  pooler: { preparesStatements: boolean } | null;
}

/** The differences between the databases, behind one meaning. */
export interface Backend extends ErrorRules {
  readonly name: 'sqlite' | 'postgresql' | 'mongodb';
  /** The tables that this backend's ORM knows. An ORM accepts no others, even of the same shape. */
  readonly tables: Readonly<Record<string, BoundTable>>;
  /**
   * Runs one piece of work and fails it after two seconds; retries it where the database requires that. Every read and
   * write of rows goes through here.
   */
  guard<T>(work: () => Promise<T>): Promise<T>;
  /** Returns the rows that match this condition. */
  find(bound: BoundTable, where: Condition): Promise<object[]>;
  /** Returns the row with this value of a unique property, with the account that owns it, by one read. */
  findOwned(bound: BoundTable, by: OwnedKey): Promise<OwnedRow | null>;
  /** Returns of each key the user and whether the token is blacklisted, in the order of the keys, by one read. */
  findSessions(keys: readonly SessionKey[]): Promise<(SessionRow | null)[]>;
  /** As `findSessions`, of access tokens: each counts as blacklisted with its session, too. */
  findTokens(keys: readonly TokenKey[]): Promise<(SessionRow | null)[]>;
  /** Returns what a sign-in with a password starts from, by as few statements as the database allows. */
  findForSignIn(key: SignInKey): Promise<SignInRows>;
  /** Inserts a record. @throws the driver's own error when a unique index rejects the row */
  insert(bound: BoundTable, record: object): Promise<void>;
  /** Inserts those of the records that no unique index rejects. Returns their ids. */
  insertMany(bound: BoundTable, records: readonly object[]): Promise<string[]>;
  /** Changes the row that matches (its condition names a unique key). Returns it as changed, or null when none matched. */
  update(bound: BoundTable, where: Condition, patch: Patch): Promise<object | null>;
  /**
   * Changes up to `limit` of the rows that match, those with the lowest `orderBy` first, and returns them as changed. Of
   * several callers at once, in any number of processes, one gets a row; rows that another is changing are passed over.
   * The change must make the condition false.
   */
  claim(
    bound: BoundTable,
    where: Condition,
    patch: Patch,
    order: { orderBy: string; limit: number },
  ): Promise<object[]>;
  /**
   * Inserts a record; where a row has its value of the unique property, adds the record's number to that of the row
   * instead. One statement, whichever it is.
   */
  tally(bound: BoundTable, record: object, how: { unique: string; number: string }): Promise<void>;
  /** Inserts a record, or replaces the whole record that has its id. */
  replace(bound: BoundTable, record: object): Promise<void>;
  /** Deletes the rows that match this condition, or `most` of them, and returns how many it deleted. */
  delete(bound: BoundTable, where: Condition, most?: number): Promise<number>;
  list(bound: BoundTable, selection: Selection, page: Page): Promise<object[]>;
  /** Returns the values that many of the rows share that match this condition, by one read. */
  listShared(bound: BoundTable, where: Condition, sharing: Sharing): Promise<string[]>;
  /** Returns how many rows a selection has; stops counting at `most` and then returns `most`. */
  count(bound: BoundTable, selection: Selection, most?: number): Promise<number>;
  /** Returns a page of a selection and the total of all pages, counted up to `most`; a search is counted only once. */
  listAndCount(
    bound: BoundTable,
    selection: Selection,
    page: Page,
    most: number,
  ): Promise<{ rows: object[]; total: number }>;
  /** Resolves when everything that was read before is certain to survive a crash. */
  awaitDurability(): Promise<void>;
  /**
   * Brings the schema to the latest version. Returns how many steps that took. Safe when several processes do it at once.
   */
  install(): Promise<number>;
  /** Returns how the installed schema compares with the one this version needs. */
  readSchemaState(): Promise<SchemaState>;
  /** Returns how the tables and indexes differ from what this version needs. */
  findDifferences(): Promise<Difference[]>;
  /** Fails when the database does not respond or accepts no writes. */
  ping(): Promise<void>;
  /** Returns how the connection is made; fails when the database does not respond. */
  describeConnection(): Promise<ConnectionReport>;
  /** Returns the present time by the clock of the database server; for SQLite, by the clock of this machine. */
  now(): Promise<Date>;
  /** Returns what an operator should know about the database itself: its version, its files, the rights of its user. */
  listRemarks(): Promise<Remark[]>;
  /** Returns the native client, for the package that counts requests. */
  openCounterStore(): Promise<Counters['store']>;
  /** See `Counters.shortenWindow`. */
  shortenWindow(key: string, leftMs: number): Promise<void>;
  close(): Promise<void>;
}
