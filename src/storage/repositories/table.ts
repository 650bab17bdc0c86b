import type { AnyEntity, Backend, Condition, Page, Patch, Selection } from '../backend.ts';
import { UniqueViolation } from '../errors.ts';

/** Runs one storage call within its bounds and turns what fails into the errors of the storage layer. */
export type Run = <T>(work: () => Promise<T>) => Promise<T>;

/** The handful of calls that every repository is made of, over one record type. */
export function openTable<T extends object>(backend: Backend, entity: AnyEntity, run: Run) {
  type Where = Condition<keyof T & string>;
  // An entity knows its record's shape as its ORM does; here `T` states it.
  const all = (where: Where) => run(() => backend.find(entity, where)) as Promise<T[]>;

  return {
    /** The row of these values, of which there is one at most. */
    find: async (where: Where): Promise<T | null> => (await all(where))[0] ?? null,

    /** Every row of these values. */
    all,

    list: (selection: Selection<keyof T & string>, page: Page<keyof T & string>): Promise<T[]> =>
      run(() => backend.list(entity, selection, page)) as Promise<T[]>,

    /** How many there are of a selection, or `most` where there are as many or more. */
    count: (selection: Selection<keyof T & string>, most?: number): Promise<number> =>
      run(() => backend.count(entity, selection, most)),

    /** Inserts and answers true, or answers false when a unique index has such a row already. */
    insert: async (record: T): Promise<boolean> => {
      try {
        await run(() => backend.insert(entity, record));
        return true;
      } catch (error) {
        if (error instanceof UniqueViolation) return false;
        throw error;
      }
    },

    replace: (record: T): Promise<void> => run(() => backend.replace(entity, record)),

    /** Changes the one row that matches in one statement; false when none matched. @throws {UniqueViolation} */
    update: (where: Where, patch: Patch): Promise<boolean> =>
      run(async () => (await backend.update(entity, where, patch)) > 0),

    /** Deletes and answers how many; of several that delete one row at once, exactly one is told 1. */
    delete: (where: Where): Promise<number> => run(() => backend.delete(entity, where)),
  };
}
