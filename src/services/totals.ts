/** Up to how many are counted for everybody who asks; more are counted once for all who ask within a while. */
const countedAnew = 10_000;
const keptMs = 10_000;

/**
 * How many there are of something, at a cost that does not grow with it: exact up to ten thousand; beyond, up to ten
 * seconds old, except for a search, which counts to ten thousand and no further.
 */
export function createTotals() {
  const kept = new Map<string, { total: Promise<number>; until: number }>();

  function totalKept(name: string): Promise<number> | undefined {
    const { total, until } = kept.get(name) ?? { until: 0 };
    return performance.now() < until ? total : undefined;
  }

  return {
    /** `name` tells what is counted, and must be one of a few; `count` counts to `most` and no further. */
    async of(name: string, count: (most?: number) => Promise<number>): Promise<number> {
      const known = totalKept(name);
      if (known) return known;
      const few = await count(countedAnew);
      if (few < countedAnew) return few;
      const meanwhile = totalKept(name);
      if (meanwhile) return meanwhile;
      const total = count();
      kept.set(name, { total, until: performance.now() + keptMs });
      // Whoever asks next counts anew.
      total.catch(() => kept.delete(name));
      return total;
    },

    ofSearch: (count: (most: number) => Promise<number>): Promise<number> => count(countedAnew),
  };
}
