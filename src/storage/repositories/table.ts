import { boundOf } from '../../tables/bound.ts';
import type { Columns, RowOf, Table } from '../../tables/define.ts';
import type {
  Backend,
  Condition,
  FromNow,
  OwnedKey,
  OwnedRow,
  Page,
  Patch,
  Selection,
  Sharing,
} from '../backend.ts';
import { UniqueViolation } from '../errors.ts';

/** Runs one storage call within its deadline and converts failures to the errors of the storage layer. */
export type Run = <T>(work: () => Promise<T>) => Promise<T>;

/** A record as it is inserted: a time may be that of the database. */
type Inserted<T> = { [P in keyof T]: Date extends T[P] ? T[P] | FromNow : T[P] };

/** How many rows one statement inserts. */
const batchSize = 64;

/** How many rows one statement of a purge deletes, so that each is short however many there are. */
const purgedAtOnce = 1000;

/** Returns batches of one size, and then single rows: so there are two statements to prepare, and not one for each size. */
function* batchesOf<T>(records: readonly T[]): Generator<T[]> {
  const whole = records.length - (records.length % batchSize);
  for (let i = 0; i < whole; i += batchSize) yield records.slice(i, i + batchSize);
  for (const record of records.slice(whole)) yield [record];
}

/**
 * Returns a list for `$in` with its last value repeated, so that its length is a power of two: so there are few statements to
 * prepare, and not one for each length.
 */
export function padded<T>(values: readonly T[]): T[] {
  const last = values.at(-1);
  if (last === undefined) return [];
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return [...values, ...Array.from({ length: length - values.length }, () => last)];
}

/** Returns the few calls that every repository consists of, for one record type. */
export function openTable<C extends Columns>(backend: Backend, table: Table<C>, run: Run) {
  type T = RowOf<Table<C>>;
  type Where = Condition<keyof T & string>;
  const bound = boundOf(backend.tables, table);
  // The backend knows the shape of a record by the description; here `T` states it.
  const findAll = (where: Where) => run(() => backend.find(bound, where)) as Promise<T[]>;

  const change = (where: Where, patch: Patch) =>
    run(() => backend.update(bound, where, patch)) as Promise<T | null>;

  return {
    /** Returns the row with these values, of which there is at most one. */
    find: async (where: Where): Promise<T | null> => (await findAll(where))[0] ?? null,

    /** Returns every row with these values. */
    findAll,

    /** Returns the row with this value of a unique property, with the account that owns it, by one read. */
    findOwned: (by: OwnedKey<keyof T & string>) =>
      run(() => backend.findOwned(bound, by)) as Promise<OwnedRow<T> | null>,

    list: (selection: Selection<keyof T & string>, page: Page<keyof T & string>): Promise<T[]> =>
      run(() => backend.list(bound, selection, page)) as Promise<T[]>,

    /** See `Backend.listShared`. */
    listShared: (where: Where, sharing: Sharing<keyof T & string>): Promise<string[]> =>
      run(() => backend.listShared(bound, where, sharing)),

    /** Returns how many rows a selection has, or `most` if there are as many or more. */
    count: (selection: Selection<keyof T & string>, most?: number): Promise<number> =>
      run(() => backend.count(bound, selection, most)),

    /** Returns a page of a selection and the total of all pages, or `most` if there are as many or more. */
    listAndCount: (selection: Selection<keyof T & string>, page: Page<keyof T & string>, most: number) =>
      run(() => backend.listAndCount(bound, selection, page, most)) as Promise<{ rows: T[]; total: number }>,

    /** Inserts and returns true; returns false when a unique index rejects the row. */
    insert: async (record: Inserted<T>): Promise<boolean> => {
      try {
        await run(() => backend.insert(bound, record));
        return true;
      } catch (error) {
        if (error instanceof UniqueViolation) return false;
        throw error;
      }
    },

    /** Inserts those of the records that no unique index rejects. Returns their ids. */
    insertMany: async (records: readonly T[]): Promise<Set<string>> => {
      const ids = new Set<string>();
      for (const batch of batchesOf(records)) {
        for (const id of await run(() => backend.insertMany(bound, batch))) ids.add(id);
      }
      return ids;
    },

    /** See `Backend.claim`. */
    claim: (where: Where, patch: Patch, order: { orderBy: keyof T & string; limit: number }) =>
      run(() => backend.claim(bound, where, patch, order)) as Promise<T[]>,

    /** See `Backend.tally`. */
    tally: (record: T, how: { unique: keyof T & string; number: keyof T & string }): Promise<void> =>
      run(() => backend.tally(bound, record, how)),

    replace: (record: T): Promise<void> => run(() => backend.replace(bound, record)),

    /**
     * Changes the one row that matches, in one statement. Returns it as changed, or null when none matched.
     * @throws {UniqueViolation}
     */
    change,

    /** As `change`, for callers that need not see the row. Returns false when none matched. @throws {UniqueViolation} */
    update: async (where: Where, patch: Patch): Promise<boolean> => (await change(where, patch)) !== null,

    /** Deletes and returns how many rows; of several concurrent deletions of one row, exactly one returns 1. */
    delete: (where: Where): Promise<number> => run(() => backend.delete(bound, where)),

    /** As `delete`, for any number of rows: in parts, between which other work runs. */
    async purge(where: Where, atOnce = purgedAtOnce): Promise<number> {
      for (let removed = 0; ; ) {
        const count = await run(() => backend.delete(bound, where, atOnce));
        // A smaller part need not be the last one: another process may have deleted some of its rows.
        if (count === 0) return removed;
        removed += count;
        // The driver of SQLite is synchronous.
        await new Promise(setImmediate);
      }
    },
  };
}
