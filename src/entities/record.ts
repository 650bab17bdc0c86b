import type { InferEntity } from '@mikro-orm/core';

/** What differs between a table and a collection: the column of the primary key. */
export type KeyColumn = (sqlName: string) => string;

/** A stored record as plain data: every property is there, null where the database has none. */
export type Stored<E> = {
  readonly [K in keyof InferEntity<E> as K extends string ? K : never]-?: Exclude<
    InferEntity<E>[K],
    undefined
  >;
};
