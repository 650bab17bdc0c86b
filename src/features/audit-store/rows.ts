import type { Backend, Condition } from '../../storage/backend.ts';
import { openTable, type Run } from '../../storage/repositories/table.ts';
import { auditRecords, type StoredAuditRecord } from './table.ts';

/** Which records: those with all of these values, from a time on, and before another. */
export interface AuditSelection
  extends Partial<Pick<StoredAuditRecord, 'actor' | 'subject' | 'operation' | 'outcome' | 'by'>> {
  /** Operations among or outside of which the records are, unless one operation is asked for. */
  looks?: { names: string[]; isOutside: boolean } | undefined;
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

/**
 * The filters by how much they leave, the fewest first. The first one given selects the rows by its index, in the order of
 * the list, and the others are checked in each: SQLite would otherwise choose by chance.
 */
const filters = ['subject', 'actor', 'operation', 'outcome'] as const;

export type AuditRows = ReturnType<typeof createAuditRows>;

export function createAuditRows(backend: Backend, run: Run) {
  const table = openTable(backend, auditRecords, run);

  function whereOf({ since, until: _, by, looks, ...given }: AuditSelection) {
    const [first, ...others] = filters.filter(name => given[name] !== undefined);
    const where: Record<string, Condition[string]> = {};
    if (first) where[first] = given[first]!;
    for (const name of others) {
      // These two have an index together.
      const isIndexed = first === 'operation' && name === 'outcome';
      where[name] = isIndexed ? given[name]! : { $checked: given[name]! };
    }
    if (looks && given.operation === undefined)
      where.operation = looks.isOutside ? { $nin: looks.names } : { $in: looks.names };
    if (by !== undefined) where.by = { $checked: by };
    if (since) where.id = { $gte: firstIdAt(since) };
    return where as Condition<keyof StoredAuditRecord>;
  }

  return {
    /** Stores a record; one with a `fold` that is there already adds to the count of that row instead. */
    add: (record: StoredAuditRecord): Promise<void> =>
      record.fold === null
        ? table.insert(record).then(() => {})
        : table.tally(record, { unique: 'fold', number: 'count' }),

    /** Returns records, newest first; `after` is the id of the last one of the page before. */
    list(only: AuditSelection, { after, limit }: { after?: string | null; limit: number }) {
      const end = only.until && firstIdAt(only.until);
      const before = end !== undefined && (after == null || end < after) ? end : after;
      const page = {
        orderBy: ['id'],
        direction: 'desc',
        after: before == null ? null : [before],
        limit,
      } as const;
      return table.list({ where: whereOf(only) }, page);
    },

    /** Deletes records of before this time and returns how many. */
    purge: (before: Date, atOnce?: number): Promise<number> =>
      table.purge({ id: { $lt: firstIdAt(before) } }, atOnce),
  };
}

/** Returns the lowest id that a record of this time can have. */
function firstIdAt(time: Date): string {
  const ms = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-0000-0000-000000000000`;
}
