import type { LimitItem } from '../config/limit-expression.ts';
import type { Counters } from '../storage/backend.ts';
import type { Limiter, LimitVerdict } from './rate-limit.ts';

type Flexible = typeof import('rate-limiter-flexible');
type Counter = InstanceType<Flexible['RateLimiterAbstract']>;

/** Each limit item has a window of its own, under a key prefix of its own. `duration` is in seconds. */
interface CounterOptions {
  points: number;
  duration: number;
  keyPrefix: string;
}

/**
 * Returns a limiter over the package `rate-limiter-flexible`, with its counts in the configured database or in Redis, so
 * that several processes share them.
 */
export function flexibleLimiter({
  makeCounter,
  ...store
}: { makeCounter: MakeCounter } & WindowStore): Limiter {
  const counters = new Map<string, Counter>();

  function counterOf({ count, seconds }: LimitItem): Counter {
    const keyPrefix = `${count}/${seconds}`;
    let counter = counters.get(keyPrefix);
    if (!counter) {
      counter = makeCounter({ points: count, duration: seconds, keyPrefix });
      counters.set(keyPrefix, counter);
    }
    return counter;
  }

  return {
    async consume(key, items) {
      const verdicts: LimitVerdict[] = [];
      for (const item of items) verdicts.push(await take(counterOf(item), key, item, store));
      return verdicts.reduce(tighter);
    },
  };
}

type MakeCounter = (options: CounterOptions) => Counter;

type WindowStore = Pick<Counters, 'run' | 'shortenWindow'>;

/**
 * Counts one request. The package rejects with its result when the limit is exceeded, and with an error when it could not
 * count.
 */
async function take(
  counter: Counter,
  key: string,
  { count, seconds }: LimitItem,
  { run, shortenWindow }: WindowStore,
): Promise<LimitVerdict> {
  const { allowed, state } = await run(() =>
    counter.consume(key).then(
      state => ({ allowed: true, state }),
      state => (state instanceof Error ? Promise.reject(state) : { allowed: false, state }),
    ),
  );
  // When more of a window is left than it ever lasts, a wrong clock started it: it restarts now.
  if (state.msBeforeNext > seconds * 1000) await shortenWindow(counter.getKey(key), seconds * 1000);
  return {
    allowed,
    limit: count,
    remaining: state.remainingPoints,
    resetSeconds: Math.min(state.msBeforeNext / 1000, seconds),
  };
}

/**
 * Returns the tighter verdict: a refusal before a permission; of two refusals the one that lasts longer; of two
 * permissions the one with fewer requests left.
 */
function tighter(a: LimitVerdict, b: LimitVerdict): LimitVerdict {
  if (a.allowed !== b.allowed) return a.allowed ? b : a;
  if (!a.allowed) return a.resetSeconds >= b.resetSeconds ? a : b;
  return a.remaining <= b.remaining ? a : b;
}

/** Returns a factory of counters in the configured database, in a table that exists already. */
export function databaseCounters(flexible: Flexible, { store, table }: Counters): MakeCounter {
  return counted => {
    const options = { ...counted, tableName: table, tableCreated: true };
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
          ...(store.schema !== undefined && { schemaName: store.schema }),
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

/** Returns a factory of counters in Redis, which other programs may share: every key begins with the prefix. */
export function redisCounters(flexible: Flexible, client: object, prefix: string): MakeCounter {
  return ({ keyPrefix, ...options }) =>
    new flexible.RateLimiterRedis({ ...options, keyPrefix: `${prefix}:${keyPrefix}`, storeClient: client });
}
