import { GatehouseError } from '../errors.ts';
import { StorageError } from './errors.ts';
import { deadlineMs } from './guard.ts';

/** From this time on, in milliseconds, an answer of the database is late: half of what a call may take. */
const lateMs = deadlineMs / 2;
/**
 * How long a request may take while answers are late, in milliseconds. CONTRACT §4.5 gives it three seconds; what is left is for its
 * response.
 */
const boundMs = 2750;
/** How much of that the database must have been late for, in milliseconds: else something else takes the time. */
const lateForMs = 1500;
/** How long it is remembered that the database was late, in milliseconds. A request that takes longer has another reason. */
const rememberedMs = 60_000;
/** How often it is asked after that whether the database is late, in milliseconds. */
const againMs = 250;

export type Slowness = ReturnType<typeof createSlowness>;

interface Interval {
  from: number;
  to: number;
}

/**
 * Ends requests that take too long because the database is late. Each call has a deadline of its own, but the calls of one request
 * add up where each is answered late, as while another server takes over.
 */
export function createSlowness() {
  /** The calls under way, the oldest first. */
  const calls = new Set<{ startedAt: number }>();
  /** The times of late calls that have ended, one after another; those that overlap are one. */
  let late: Interval[] = [];

  /** Returns the same times with one that ends after all of them. */
  function withLate({ from, to }: Interval): Interval[] {
    const earlier = late.filter(each => each.to < from);
    const joined = late[earlier.length];
    return [...earlier, { from: Math.min(from, joined?.from ?? from), to }];
  }

  /** Returns for how long since this moment the database has been late, in milliseconds. */
  function lateSince(moment: number): number {
    const now = performance.now();
    const [oldest] = calls;
    const isLate = oldest !== undefined && now - oldest.startedAt >= lateMs;
    const all = isLate ? withLate({ from: oldest.startedAt, to: now }) : late;
    return all.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, moment)), 0);
  }
  const isTooLate = (cameAt: number) => lateSince(cameAt) >= lateForMs;

  return {
    /** Does one call of the database. */
    async watch<T>(work: () => Promise<T>): Promise<T> {
      const call = { startedAt: performance.now() };
      calls.add(call);
      try {
        return await work();
      } finally {
        calls.delete(call);
        const to = performance.now();
        if (to - call.startedAt >= lateMs) {
          late = withLate({ from: call.startedAt, to }).filter(each => each.to > to - rememberedMs);
        }
      }
    },

    /**
     * Does work of a request that came at this moment of `performance.now()`. Work that was begun goes on after the refusal, so that
     * nothing is left half done. A request that waits for anything else (a provider, the host's hooks, its turn to hash) is
     * left to the limits of that.
     * @throws {GatehouseError} unavailable, when it takes too long because of the database
     */
    bounded<T>(cameAt: number, work: () => Promise<T>): Promise<T> {
      const leftMs = cameAt + boundMs - performance.now();
      if (leftMs <= 0 && isTooLate(cameAt)) return Promise.reject(tooSlow());
      return new Promise((resolve, reject) => {
        const look = () => {
          if (isTooLate(cameAt)) reject(tooSlow());
          else timer = setTimeout(look, againMs);
        };
        let timer = setTimeout(look, Math.max(leftMs, againMs));
        work().then(
          result => {
            clearTimeout(timer);
            resolve(result);
          },
          error => {
            clearTimeout(timer);
            reject(error);
          },
        );
      });
    },
  };
}

function tooSlow(): GatehouseError {
  const cause = new StorageError('The database took too long for all that the request asked of it.');
  return new GatehouseError('unavailable', { retryAfterSeconds: 2, cause });
}
