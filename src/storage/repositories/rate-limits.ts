import { rateLimits } from '../../tables/rate-limit.ts';
import type { Backend } from '../backend.ts';
import { openTable, type Run } from './table.ts';

/** The counts of the rate limits per client address. The counting package writes them. */
export function createRateLimitRows(backend: Backend, run: Run) {
  const table = openTable(backend, rateLimits, run);
  return {
    /** Deletes windows that ended at or before this time and returns how many; MongoDB does it by itself. */
    purge: async (before: Date) =>
      backend.name === 'mongodb' ? 0 : table.purge({ expire: { $lte: before.getTime() } }),
  };
}
