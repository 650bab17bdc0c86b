import type { LimitItem } from '../config/limit-expression.ts';
import { type RouteLimit, routeLimitNames } from '../config/schema/limits.ts';
import type { Config } from '../config/schema.ts';
import { GatehouseError } from '../errors.ts';
import type { Camel } from '../names.ts';
import { camelCase } from '../names.ts';
import { clientOf } from './client.ts';

/** The result of counting one request: of several items, the tightest. */
export interface LimitVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
}

/** Counts requests; a host may supply its own. */
export interface Limiter {
  /** Counts one request in every item under this key. Windows are fixed and begin with the first request. */
  consume(key: string, items: readonly LimitItem[]): Promise<LimitVerdict>;
}

/**
 * A rate limit is configured and nothing can count requests. Thrown at the first access to the router.
 * @example if (error instanceof RuntimeError) console.error(error.message);
 */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
}

export type RateLimits = ReturnType<typeof createRateLimits>;

/** The limits of a configuration, and whether they apply. */
export type RouteLimits = Pick<Config, `${Camel<RouteLimit>}RateLimit` | 'limitsDisabled'>;

/** Rate limits per client address. REST and GraphQL share one count. */
export function createRateLimits(config: RouteLimits, limiter: Limiter | null) {
  const itemsOf = (route: RouteLimit): readonly LimitItem[] =>
    config[camelCase(`${route}_rate_limit`) as `${Camel<RouteLimit>}RateLimit`];
  const configured = routeLimitNames.filter(route => itemsOf(route).length > 0 && !config.limitsDisabled);
  const isConfigured = configured.length > 0;

  return {
    isConfigured,
    /** The routes with a limit. */
    configured,

    /**
     * Checks that configured limits can be enforced. @throws {RuntimeError} when a limit is set and nothing can count
     * requests
     */
    assertUsable(): void {
      if (!isConfigured || limiter) return;
      throw new RuntimeError(
        'A *_rate_limit is set, but its package is not installed: run npm install rate-limiter-flexible, pass a limiter of your own, or leave the limits empty.',
      );
    },

    /**
     * Counts one request of this client address.
     * @throws {GatehouseError} rate_limited, or unavailable when it cannot be counted
     */
    async consume(route: RouteLimit, ip: string | null): Promise<void> {
      if (!configured.includes(route)) return;
      this.assertUsable();
      const verdict = await count(limiter as Limiter, `${route}:${clientOf(ip)}`, itemsOf(route));
      if (verdict.allowed) return;
      const { limit, remaining, resetSeconds } = verdict;
      const retryAfterSeconds = Math.max(1, Math.ceil(resetSeconds));
      const rateLimit = { limit, remaining, resetSeconds: retryAfterSeconds };
      throw new GatehouseError('rate_limited', { retryAfterSeconds, rateLimit });
    },
  };
}

/**
 * Counts one request. While the store is unavailable every request is refused (fail closed): otherwise an outage would
 * switch the limits off.
 */
async function count(limiter: Limiter, key: string, items: readonly LimitItem[]): Promise<LimitVerdict> {
  try {
    return await limiter.consume(key, items);
  } catch (cause) {
    throw new GatehouseError('unavailable', { retryAfterSeconds: 2, cause });
  }
}
