import type { InferEntity } from '@mikro-orm/core';

/** The column of the primary key, in which tables and collections differ. */
export type KeyColumn = (sqlName: string) => string;

/** A stored record as plain data: every property is present, null if the database has no value. */
export type Stored<E> = {
  readonly [K in keyof InferEntity<E> as K extends string ? K : never]-?: Exclude<
    InferEntity<E>[K],
    undefined
  >;
};
