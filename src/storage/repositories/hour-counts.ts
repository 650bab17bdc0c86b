import { type HourCount, hourCounts } from '../../tables/hour-count.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export function createHourCounts(backend: Backend, run: Run) {
  const table = openTable(backend, hourCounts, run);
  return {
    /** Adds a count to those of its hour and kind. */
    add: (row: HourCount) => table.tally(row, { unique: 'id', number: 'count' }),

    /** Returns the counts of the hours that began at this time or later. */
    listSince: (hour: Date) =>
      table.list({ where: { hour: { $gte: hour } } }, { orderBy: ['id'], direction: 'asc', limit: 1000 }),
  };
}
