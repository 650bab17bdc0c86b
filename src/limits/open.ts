import type { Config } from '../config/schema.ts';
import { lazily } from '../lazily.ts';
import { findOptional, importOptional } from '../optional.ts';
import type { Counters } from '../storage/backend.ts';
import { databaseCounters, flexibleLimiter, redisCounters } from './flexible.ts';
import { createRateLimits, type Limiter } from './rate-limit.ts';

/** How long a command to Redis may take, in milliseconds. */
const redisTimeoutMs = 2000;

interface OpenedLimits {
  limits: ReturnType<typeof createRateLimits>;
  /** Asks the store, where it is not the database. */
  ping?: () => Promise<unknown>;
  close(): Promise<void>;
}

/**
 * The limits of a configuration: kept by the host's limiter, else by the package, which is loaded only when a limit
 * is set. A missing package is found out later, at the first access to the router.
 */
export async function openRateLimits(
  config: Config,
  countersOf: () => Promise<Counters>,
  hostLimiter: Limiter | undefined,
): Promise<OpenedLimits> {
  const nothingToClose = async () => {};
  if (hostLimiter || !createRateLimits(config, null).isConfigured) {
    return { limits: createRateLimits(config, hostLimiter ?? null), close: nothingToClose };
  }
  const flexible = await findOptional('rate-limiter-flexible', () => import('rate-limiter-flexible'));
  if (!flexible) return { limits: createRateLimits(config, null), close: nothingToClose };

  const redis = config.rateLimitStoreUrl && (await openRedis(config.rateLimitStoreUrl.reveal()));
  if (redis) {
    const limiter = flexibleLimiter({ makeCounter: redisCounters(flexible, redis), run: work => work() });
    const limits = createRateLimits(config, limiter);
    return { limits, ping: () => redis.ping(), close: async () => redis.disconnect() };
  }
  const opened = lazily(async () => {
    const counters = await countersOf();
    return flexibleLimiter({ makeCounter: databaseCounters(flexible, counters), run: counters.run });
  });
  const limiter: Limiter = { consume: async (key, items) => (await opened()).consume(key, items) };
  return { limits: createRateLimits(config, limiter), close: nothingToClose };
}

/** A client that fails fast while Redis is away and comes back by itself. */
async function openRedis(url: string) {
  const { Redis } = await importOptional('ioredis', 'rate_limit_store_url', () => import('ioredis'));
  const client = new Redis(url, {
    enableOfflineQueue: false,
    // Redis may have counted what it did not answer; sent again, one request would be counted twice.
    maxRetriesPerRequest: 0,
    commandTimeout: redisTimeoutMs,
    connectTimeout: redisTimeoutMs,
    // A connection that is silent when an answer is due may be dead for good, so another one takes its place.
    socketTimeout: redisTimeoutMs,
    lazyConnect: true,
  });
  // Each command that fails is reported by whoever sent it.
  client.on('error', () => {});
  // A first request should find it connected; where Redis is away, requests say so, and the client tries again.
  await client.connect().catch(() => {});
  return client;
}
