import { p as columnsOfOrm, defineEntity as defineInOrm } from '@mikro-orm/core';

/** A column while it is described. */
export interface Column<T> {
  /** The type of its values, which no program reads. */
  readonly '~type'?: T;
  primary(): Column<T>;
  unique(): Column<T>;
  index(): Column<T>;
  nullable(): Column<T | null>;
  default(value: T): Column<T>;
  /** Gives the column another name than the property has. */
  fieldName(name: string): Column<T>;
  /** Narrows the type of its values. */
  $type<Narrow extends T>(): Column<Narrow>;
}

interface Columns {
  text(): Column<string>;
  boolean(): Column<boolean>;
  integer(): Column<number>;
  double(): Column<number>;
  bigint(mode: 'number'): Column<number>;
  /** @param digits the digits of a second */
  datetime(digits: number): Column<Date>;
  json<T>(): Column<T>;
}

type Properties = Readonly<Record<string, Column<unknown>>>;
type Names<P> = readonly (keyof P & string)[];

interface Description<P extends Properties> {
  name: string;
  tableName: string;
  properties: P;
  indexes?: readonly { properties: Names<P> }[];
  uniques?: readonly { properties: Names<P> }[];
}

/** The entity of a kind of record. The ORM's own type of it is no part of the types that a host compiles. */
export interface Entity<P = Properties> {
  readonly '~properties'?: P;
}

/** A stored record as plain data: every property is present, null if the database has no value. */
export type Stored<E> =
  E extends Entity<infer P> ? { readonly [K in keyof P]: P[K] extends Column<infer T> ? T : never } : never;

/** The column of the primary key, in which tables and collections differ. */
export type KeyColumn = (sqlName: string) => string;

export const p: Columns = columnsOfOrm as unknown as Columns;

/** As the ORM's own function, whose types take a host that checks every library to all that the ORM's types name. */
export const defineEntity = <P extends Properties>(description: Description<P>): Entity<P> =>
  defineInOrm(description as never) as Entity<P>;
