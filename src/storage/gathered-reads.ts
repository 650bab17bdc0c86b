/** At most so many gathered reads run at once, so that a hung connection does not take all others of the pool with it. */
const mostInFlight = 4;
/** A read that takes longer, in milliseconds, no longer counts as one of them: a hung server must not hold up others. */
const slowMs = 250;
/** At most so many keys are read by one statement. */
const mostTogether = 100;

interface Waiting<Key, Row> {
  key: Key;
  resolve(row: Row | null): void;
  reject(error: unknown): void;
}

/**
 * Lets reads that are asked for in the same turn of the event loop, or while earlier ones are on their way, share one
 * statement. A read starts after it was asked for, so it finds everything that was acknowledged before. Each gets its own
 * row or null; an error rejects all that shared the statement, as it would reject each of them alone.
 */
export function gatherReads<Key, Row>(
  readAll: (keys: readonly Key[]) => Promise<readonly (Row | null)[]>,
): (key: Key) => Promise<Row | null> {
  let waiting: Waiting<Key, Row>[] = [];
  let inFlight = 0;
  let isScheduled = false;

  async function run(reads: Waiting<Key, Row>[]): Promise<void> {
    inFlight++;
    let counts = true;
    const leave = () => {
      if (!counts) return;
      counts = false;
      inFlight--;
      start();
    };
    const timer = setTimeout(leave, slowMs);
    try {
      const rows = await readAll(reads.map(({ key }) => key));
      for (const [i, { resolve }] of reads.entries()) resolve(rows[i] ?? null);
    } catch (error) {
      for (const { reject } of reads) reject(error);
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  function start(): void {
    isScheduled = false;
    while (waiting.length > 0 && inFlight < mostInFlight) {
      const reads = waiting.slice(0, mostTogether);
      waiting = waiting.slice(mostTogether);
      void run(reads);
    }
  }

  return key =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (isScheduled || inFlight === mostInFlight) return;
      isScheduled = true;
      setImmediate(start);
    });
}
