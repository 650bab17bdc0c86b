import type { LimitItem } from '../config/limit-expression.ts';
import type { Config } from '../config/schema.ts';
import { GatehouseError } from '../errors.ts';
import { clientOf } from './client.ts';

/** The routes that can have a limit (SPEC §8, CONTRACT §5). */
export type RouteLimit =
  | 'login'
  | 'login_mfa_confirm'
  | 'register'
  | 'forgot_password'
  | 'reset_password'
  | 'verify'
  | 'resend_verification'
  | 'change_password'
  | 'change_email'
  | 'confirm_email_change'
  | 'delete_account'
  | 'phone_start'
  | 'phone_confirm'
  | 'phone_disable'
  | 'oauth_start'
  | 'oauth_exchange';

/** What a limiter says of one request: of several items, the tightest. */
export interface LimitVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
}

/** Counts requests; a host may bring its own. */
export interface Limiter {
  /** Takes one from every item under this key. Windows are fixed and begin with the first request. */
  consume(key: string, items: readonly LimitItem[]): Promise<LimitVerdict>;
}

/** A limit is configured and nothing is there that could keep it. Raised at the first access to the router. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
}

export type RateLimits = ReturnType<typeof createRateLimits>;

/** The limits per client address, in one bucket for both doors. */
export function createRateLimits(config: Config, limiter: Limiter | null) {
  const items: Record<RouteLimit, readonly LimitItem[]> = {
    login: config.loginRateLimit,
    login_mfa_confirm: config.loginMfaConfirmRateLimit,
    register: config.registerRateLimit,
    forgot_password: config.forgotPasswordRateLimit,
    reset_password: config.resetPasswordRateLimit,
    verify: config.verifyRateLimit,
    resend_verification: config.resendVerificationRateLimit,
    change_password: config.changePasswordRateLimit,
    change_email: config.changeEmailRateLimit,
    confirm_email_change: config.confirmEmailChangeRateLimit,
    delete_account: config.deleteAccountRateLimit,
    phone_start: config.phoneStartRateLimit,
    phone_confirm: config.phoneConfirmRateLimit,
    phone_disable: config.phoneDisableRateLimit,
    oauth_start: config.oauthStartRateLimit,
    oauth_exchange: config.oauthExchangeRateLimit,
  };
  const configured = (Object.keys(items) as RouteLimit[]).filter(route => items[route].length > 0);
  const isConfigured = configured.length > 0;

  return {
    isConfigured,
    /** The routes that have one. */
    configured,

    /** @throws {RuntimeError} when a limit is set and nothing can keep it */
    assertUsable(): void {
      if (!isConfigured || limiter) return;
      throw new RuntimeError(
        'A *_rate_limit is set, but the package that counts is missing: npm install rate-limiter-flexible, pass a limiter of your own, or leave the limits empty.',
      );
    },

    /** Counts one request. @throws {GatehouseError} rate_limited, or unavailable when it can't be counted */
    async consume(route: RouteLimit, ip: string | null): Promise<void> {
      if (items[route].length === 0) return;
      this.assertUsable();
      const verdict = await count(limiter as Limiter, `${route}:${clientOf(ip)}`, items[route]);
      if (verdict.allowed) return;
      const { limit, remaining, resetSeconds } = verdict;
      const retryAfterSeconds = Math.max(1, Math.ceil(resetSeconds));
      const rateLimit = { limit, remaining, resetSeconds: retryAfterSeconds };
      throw new GatehouseError('rate_limited', { retryAfterSeconds, rateLimit });
    },
  };
}

/** A store that is down lets nobody in: else an outage would switch the limits off. */
async function count(limiter: Limiter, key: string, items: readonly LimitItem[]): Promise<LimitVerdict> {
  try {
    return await limiter.consume(key, items);
  } catch (cause) {
    throw new GatehouseError('unavailable', { retryAfterSeconds: 2, cause });
  }
}
