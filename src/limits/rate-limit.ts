import type { LimitItem } from '../config/limit-expression.ts';
import type { Config } from '../config/schema.ts';
import { GatehouseError } from '../errors.ts';
import { clientOf } from './client.ts';

/** The routes that can have a limit (SPEC §8, CONTRACT §5). */
export type RouteLimit =
  | 'login'
  | 'login_mfa_confirm'
  | 'login_passkey_start'
  | 'login_passkey'
  | 'login_mfa_send'
  | 'login_mfa_passkey_start'
  | 'reauthenticate'
  | 'totp_confirm'
  | 'passkey_confirm'
  | 'recovery_codes'
  | 'register'
  | 'forgot_password'
  | 'reset_password'
  | 'not_me'
  | 'accept_invitation'
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

/** A rate limit is configured and nothing can count requests. Thrown at the first access to the router. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError';
}

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Rate limits per client address. REST and GraphQL share one count. */
export function createRateLimits(config: Config, limiter: Limiter | null) {
  const items: Record<RouteLimit, readonly LimitItem[]> = {
    login: config.loginRateLimit,
    login_passkey_start: config.loginPasskeyStartRateLimit,
    login_passkey: config.loginPasskeyRateLimit,
    login_mfa_send: config.loginMfaSendRateLimit,
    login_mfa_passkey_start: config.loginMfaPasskeyStartRateLimit,
    reauthenticate: config.reauthenticateRateLimit,
    totp_confirm: config.totpConfirmRateLimit,
    passkey_confirm: config.passkeyConfirmRateLimit,
    recovery_codes: config.recoveryCodesRateLimit,
    login_mfa_confirm: config.loginMfaConfirmRateLimit,
    register: config.registerRateLimit,
    forgot_password: config.forgotPasswordRateLimit,
    reset_password: config.resetPasswordRateLimit,
    not_me: config.notMeRateLimit,
    accept_invitation: config.acceptInvitationRateLimit,
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
  const configured = (Object.keys(items) as RouteLimit[]).filter(
    route => items[route].length > 0 && !config.limitsDisabled,
  );
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
      const verdict = await count(limiter as Limiter, `${route}:${clientOf(ip)}`, items[route]);
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
