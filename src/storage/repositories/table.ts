import type { EntityManager } from '@mikro-orm/core';
import type { AnyEntity, Backend, Condition, Patch } from '../backend.ts';
import { UniqueViolation } from '../errors.ts';

/** Runs one storage call within its bounds and turns what fails into the errors of the storage layer. */
export type Run = <T>(work: () => Promise<T>) => Promise<T>;

interface Page {
  limit?: number;
  offset?: number;
  orderBy?: Record<string, 'asc' | 'desc'>;
}

/** The handful of calls that every repository is made of, over one record type. */
export function openTable<T extends object>(backend: Backend, entity: AnyEntity, run: Run) {
  type Where = Condition<keyof T & string>;
  // The ORM's types follow each entity's own class; here they meet records whose shape `T` states.
  const in_ = entity as never;
  const work = <R>(what: (em: EntityManager) => Promise<R>) => run(() => what(backend.em()));
  const plain = (row: object): T => ({ ...row }) as T;
  const all = (where: Where) => run(() => backend.find(entity, where)) as Promise<T[]>;

  return {
    /** The row of these values, of which there is one at most. */
    find: async (where: Where): Promise<T | null> => (await all(where))[0] ?? null,

    /** Every row of these values. */
    all,

    /** A part of the rows of a condition of the ORM's. */
    list: (where: object, page: Page): Promise<T[]> =>
      work(async em => {
        const rows = await em.find(in_, where as never, { disableIdentityMap: true, ...page } as never);
        return (rows as object[]).map(plain);
      }),

    count: (where: object): Promise<number> => work(em => em.count(in_, where as never)),

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
