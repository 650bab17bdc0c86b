const keptMs = 600_000;
const retryMs = 30_000;
const longestMs = 86_400_000;
/** The `Retry-After` of what cannot be checked, in milliseconds. */
const pauseMs = 5000;

/** A fetched document, with its time. */
interface Copy<T> {
  value: T;
  at: number;
}

/**
 * Keeps what is fetched for 10 minutes, and for a day while it cannot be fetched again; one request at a time fetches it. Where
 * there is nothing to keep, a failure is thrown again for 5 seconds: tokens that come meanwhile make no request each.
 * @param now in milliseconds since 1970
 */
export function createKept<T>(fetch: () => Promise<T>, now: () => number) {
  let copy: Copy<T> | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<T> | null = null;
  let failed: { error: unknown; at: number } | null = null;

  /** A clock that was set back counts as one that has gone on: what it dates may be of any age. */
  const isWithin = (at: number, ms: number) => now() >= at && now() - at < ms;

  function renew(): Promise<T> {
    fetching ??= (async () => {
      triedAt = now();
      const value = await fetch();
      copy = { value, at: now() };
      return value;
    })()
      .catch(error => {
        failed = { error, at: now() };
        throw error;
      })
      .finally(() => {
        fetching = null;
      });
    return fetching;
  }

  return {
    /** Returns what there is. @throws {Error} where nothing is younger than a day, and it cannot be fetched */
    async get(): Promise<T> {
      const kept = copy;
      if (kept && isWithin(kept.at, keptMs)) return kept.value;
      if (!kept || !isWithin(kept.at, longestMs)) {
        if (failed && !fetching && isWithin(failed.at, pauseMs)) throw failed.error;
        return renew();
      }
      if (!fetching && isWithin(triedAt, retryMs)) return kept.value;
      return renew().catch(() => kept.value);
    },

    /** Fetches it again, unless that was tried within the last 30 seconds. Returns what there is, or null. */
    async renewed(): Promise<T | null> {
      if (!fetching && isWithin(triedAt, retryMs)) return copy?.value ?? null;
      return renew().catch(() => copy?.value ?? null);
    },
  };
}
