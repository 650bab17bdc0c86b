import { countedUpTo } from '../count-limits.ts';

const exactUpTo = countedUpTo.all;
const cacheMs = 10_000;

/**
 * Counts rows at a cost that does not grow with their number: exact up to ten thousand, and beyond that at most ten
 * seconds old.
 */
export function createTotals() {
  const cache = new Map<string, { total: Promise<number>; until: number }>();

  function findCached(name: string): Promise<number> | undefined {
    const { total, until } = cache.get(name) ?? { until: 0 };
    return performance.now() < until ? total : undefined;
  }

  return {
    /**
     * Returns a total. `name` identifies what is counted, and must be one of a few; `count` counts up to `most` and no
     * further.
     */
    async read(name: string, count: (most?: number) => Promise<number>): Promise<number> {
      const known = findCached(name);
      if (known) return known;
      const few = await count(exactUpTo);
      if (few < exactUpTo) return few;
      const meanwhile = findCached(name);
      if (meanwhile) return meanwhile;
      const total = count();
      cache.set(name, { total, until: performance.now() + cacheMs });
      // The next request counts again.
      total.catch(() => cache.delete(name));
      return total;
    },
  };
}
