/** How a column is stored. `time` is exact to the millisecond, in every time zone; `bigint` is read as a number. */
export type ColumnType = 'text' | 'boolean' | 'integer' | 'double' | 'bigint' | 'time' | 'json';

interface Traits {
  type: ColumnType;
  /** Whether it is the primary key. */
  isKey: boolean;
  isNullable: boolean;
  isUnique: boolean;
  isIndexed: boolean;
  /** Its value in rows of a version that did not store it. */
  byDefault?: unknown;
  /** Its name in the database, if that is not the name of the property in snake_case. */
  field?: string;
}

/** A column; `T` is the type of its values. Each method returns another one. */
export class Column<T> {
  /** No program reads it. */
  declare readonly '~type'?: T;
  readonly traits: Readonly<Traits>;

  constructor(traits: Traits) {
    this.traits = traits;
  }

  key(): Column<T> {
    return new Column({ ...this.traits, isKey: true });
  }

  unique(): Column<T> {
    return new Column({ ...this.traits, isUnique: true });
  }

  indexed(): Column<T> {
    return new Column({ ...this.traits, isIndexed: true });
  }

  nullable(): Column<T | null> {
    return new Column({ ...this.traits, isNullable: true });
  }

  default(byDefault: T): Column<T> {
    return new Column({ ...this.traits, byDefault });
  }

  named(field: string): Column<T> {
    return new Column({ ...this.traits, field });
  }
}

const plain = { isKey: false, isNullable: false, isUnique: false, isIndexed: false };

export const text = <T extends string = string>() => new Column<T>({ ...plain, type: 'text' });
export const boolean = () => new Column<boolean>({ ...plain, type: 'boolean' });
export const integer = () => new Column<number>({ ...plain, type: 'integer' });
export const double = () => new Column<number>({ ...plain, type: 'double' });
export const bigint = () => new Column<number>({ ...plain, type: 'bigint' });
export const time = () => new Column<Date>({ ...plain, type: 'time' });
export const json = <T>() => new Column<T>({ ...plain, type: 'json' });

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** How long a row is kept beyond its end, in seconds: a day, so that a wrong clock removes nothing too early (CONTRACT §4.5). */
export const graceSeconds = 86_400;

/** How far the clocks of a process and the database may differ, in seconds. */
export const clockToleranceSeconds = 300;

/** An index that only MongoDB has; the names are those of its fields. */
export interface MongodbIndex {
  keys: Readonly<Record<string, 1 | -1>>;
  unique?: boolean;
  expireAfterSeconds?: number;
  partialFilterExpression?: object;
}

/**
 * The one description of a table. Statements, the ORM's entity, the names in the configuration, the comparison with the
 * database, removal and purge read it.
 */
export interface Table<C extends Columns = Columns, Setting extends string = string> {
  /** The name of its record, for the ORM. */
  readonly name: string;
  /** The field of the configuration that names it, and its usual name. */
  readonly setting: Setting;
  readonly usualName: string;
  /** The records that it holds, for the documentation of the setting: `… of logged-out tokens`. */
  readonly description: string;
  readonly columns: C;
  readonly indexes?: readonly (readonly string[])[];
  readonly uniques?: readonly (readonly string[])[];
  /** The column with the id of the account that a row belongs to: the row is removed with it. */
  readonly owner?: string;
  /** When a row was added that acts for its owner: after a report it is distrusted like a passkey (CONTRACT §12.4). */
  readonly addedAt?: string;
  /** Whether a row stays when an account is taken over, because it is of no use without a session. */
  readonly isKeptByTakeOver?: boolean;
  /**
   * The time at which a row ends, and for how many seconds it is kept afterwards, by default those of `graceSeconds`. With
   * `plusWindow` those of the lockout are added.
   */
  readonly ends?: { by: string; keptSeconds?: number; plusWindow?: true };
  readonly mongodb?: {
    /** Indexes that only MongoDB has. */
    indexes?: readonly MongodbIndex[];
    /** Unique columns whose index covers only some rows. */
    partialUniques?: Readonly<Record<string, object>>;
  };
}

/** The names that a description may use: those of its own columns. */
interface OfOwnColumns<Property> {
  readonly indexes?: readonly (readonly Property[])[];
  readonly uniques?: readonly (readonly Property[])[];
  readonly owner?: Property;
  readonly addedAt?: Property;
  readonly ends?: { by: Property };
}

/** Describes a table. @example const colours = defineTable({ name: 'Colour', setting: 'colour_collection', … }) */
export const defineTable = <const T extends Table>(table: T & OfOwnColumns<keyof T['columns']>): T => table;

/** A stored record as plain data: every property is present, null if the database has no value. */
export type RowOf<T extends Pick<Table, 'columns'>> = {
  readonly [K in keyof T['columns']]: T['columns'][K] extends Column<infer V> ? V : never;
};
