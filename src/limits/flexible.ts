import type { LimitItem } from '../config/limit-expression.ts';
import { rateLimitTable as tableName } from '../entities/rate-limit.ts';
import type { Counters } from '../storage/backend.ts';
import type { Limiter, LimitVerdict } from './rate-limit.ts';

type Flexible = typeof import('rate-limiter-flexible');
type Counter = InstanceType<Flexible['RateLimiterAbstract']>;

/** A table that is there already, and every item's window counted under a prefix of its own. */
interface CounterOptions {
  points: number;
  duration: number;
  keyPrefix: string;
  tableName: string;
  tableCreated: true;
}

/**
 * A limiter over the package `rate-limiter-flexible`, with its counts in the configured database or in Redis, so that
 * several processes share them.
 */
export function flexibleLimiter({
  makeCounter,
  run,
}: {
  makeCounter: MakeCounter;
  run: Counters['run'];
}): Limiter {
  const counters = new Map<string, Counter>();

  function counterOf({ count, seconds }: LimitItem): Counter {
    const keyPrefix = `${count}/${seconds}`;
    let counter = counters.get(keyPrefix);
    if (!counter) {
      counter = makeCounter({ points: count, duration: seconds, keyPrefix, tableName, tableCreated: true });
      counters.set(keyPrefix, counter);
    }
    return counter;
  }

  return {
    async consume(key, items) {
      const verdicts: LimitVerdict[] = [];
      for (const item of items) verdicts.push(await run(() => take(counterOf(item), key, item)));
      return verdicts.reduce(tighter);
    },
  };
}

type MakeCounter = (options: CounterOptions) => Counter;

/** The package rejects with its result where the limit is exceeded, and with an error where it could not count. */
async function take(counter: Counter, key: string, { count }: LimitItem): Promise<LimitVerdict> {
  const result = await counter.consume(key).then(
    state => ({ allowed: true, state }),
    state => (state instanceof Error ? Promise.reject(state) : { allowed: false, state }),
  );
  const { remainingPoints, msBeforeNext } = result.state;
  return {
    allowed: result.allowed,
    limit: count,
    remaining: remainingPoints,
    resetSeconds: msBeforeNext / 1000,
  };
}

/** A refusal is tighter than any leave; of two refusals, the one that lasts longer; of two leaves, the one with less left. */
function tighter(a: LimitVerdict, b: LimitVerdict): LimitVerdict {
  if (a.allowed !== b.allowed) return a.allowed ? b : a;
  if (!a.allowed) return a.resetSeconds >= b.resetSeconds ? a : b;
  return a.remaining <= b.remaining ? a : b;
}

/** Counters in the configured database. */
export function databaseCounters(flexible: Flexible, { store }: Counters): MakeCounter {
  return options => {
    switch (store.kind) {
      case 'sqlite':
        return new flexible.RateLimiterSQLite({
          ...options,
          storeClient: store.client,
          storeType: 'better-sqlite3',
        });
      case 'postgresql':
        return new flexible.RateLimiterPostgres({
          ...options,
          storeClient: store.client,
          storeType: 'pool',
          clearExpiredByTimeout: false,
        });
      case 'mongodb':
        return new flexible.RateLimiterMongo({
          ...options,
          storeClient: store.client,
          dbName: store.database,
          disableIndexesCreation: true,
        });
    }
  };
}

/** Counters in Redis. */
export function redisCounters(flexible: Flexible, client: object): MakeCounter {
  return options => new flexible.RateLimiterRedis({ ...options, storeClient: client });
}
