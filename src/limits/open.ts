import type { Config } from '../config/schema.ts';
import { lazily } from '../lazily.ts';
import type { Logger } from '../logger.ts';
import { findOptional } from '../optional.ts';
import type { Counters } from '../storage/backend.ts';
import type { Transport } from '../storage/transport.ts';
import { databaseCounters, flexibleLimiter, redisCounters } from './flexible.ts';
import { createRateLimits, type Limiter, type RouteLimits } from './rate-limit.ts';
import { openRedis } from './redis.ts';

/** The limits, and where requests are counted. */
export type RateLimitConfig = RouteLimits & Pick<Config, 'rateLimitStoreUrl' | 'rateLimitKeyPrefix'>;

export interface OpenedLimits {
  limits: ReturnType<typeof createRateLimits>;
  /** The store of the counts, where it is not the database. */
  store?: { ping(): Promise<void>; transport: Transport };
  close(): Promise<void>;
}

/**
 * Opens the rate limits of a configuration. The host's limiter counts, else the package `rate-limiter-flexible`, which is
 * loaded only when a limit is set. A missing package is reported later, at the first access to the router.
 */
export async function openRateLimits(
  config: RateLimitConfig,
  countersOf: () => Promise<Counters>,
  hostLimiter: Limiter | undefined,
  logger: Pick<Logger, 'info' | 'warn'>,
): Promise<OpenedLimits> {
  const nothingToClose = async () => {};
  if (hostLimiter || !createRateLimits(config, null).isConfigured) {
    return { limits: createRateLimits(config, hostLimiter ?? null), close: nothingToClose };
  }
  const flexible = await findOptional('rate-limiter-flexible', () => import('rate-limiter-flexible'));
  if (!flexible) return { limits: createRateLimits(config, null), close: nothingToClose };

  if (config.rateLimitStoreUrl) {
    const redis = await openRedis(config.rateLimitStoreUrl.parsed(), logger);
    const makeCounter = redisCounters(flexible, redis.client, config.rateLimitKeyPrefix);
    const limits = createRateLimits(
      config,
      flexibleLimiter({
        makeCounter,
        run: redis.run,
        shortenWindow: async (key, leftMs) => void (await redis.run(() => redis.client.pexpire(key, leftMs))),
      }),
    );
    return { limits, store: redis, close: async () => redis.close() };
  }
  const opened = lazily(async () => {
    const counters = await countersOf();
    return flexibleLimiter({ makeCounter: databaseCounters(flexible, counters), ...counters });
  });
  const limiter: Limiter = { consume: async (key, items) => (await opened()).consume(key, items) };
  return { limits: createRateLimits(config, limiter), close: nothingToClose };
}
