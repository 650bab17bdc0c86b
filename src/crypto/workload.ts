/** The most work of each family that a check of a stored hash takes. */
export type KnownWork = ReadonlyMap<string, number>;

export type Workload = ReturnType<typeof createWorkload>;

interface Work {
  family: string;
  work: number;
}

/** How long what the database says of imported hashes is relied on, in milliseconds. */
const readAgainMs = 10_000;

/**
 * Knows which hashes accounts have, apart from those of Gatehouse's own: those that `readImported` tells of, and those that
 * this process has met. `own` is the work of Gatehouse's own.
 */
export function createWorkload(own: Work, readImported: () => Promise<KnownWork> = async () => new Map()) {
  const met = new Map<string, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  const add = ({ family, work }: Work) => met.set(family, Math.max(work, met.get(family) ?? 0));
  add(own);

  async function read(): Promise<void> {
    for (const [family, work] of await readImported()) add({ family, work });
    readAt = performance.now();
  }

  return {
    /** Returns the work of all known hashes. A read is not repeated at once, nor made by two callers at the same time. */
    async known(): Promise<KnownWork> {
      if (performance.now() - readAt > readAgainMs) {
        reading ??= read().finally(() => {
          reading = undefined;
        });
        await reading;
      }
      return met;
    },

    /** Returns what is left to do after one hash was checked, so that everything known has been done once. */
    missing(checked: Work, known: KnownWork): (Work & { isDecoy: boolean })[] {
      add(checked);
      return [...known]
        .map(([family, most]) => ({ family, work: most - (family === checked.family ? checked.work : 0) }))
        .filter(({ work }) => work > 0)
        .map(rest => ({ ...rest, isDecoy: rest.family === own.family && rest.work === own.work }));
    },
  };
}
