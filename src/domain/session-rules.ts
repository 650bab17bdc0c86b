import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Claims } from '../crypto/claims.ts';
import { GatehouseError } from '../errors.ts';
import type { Factors } from './factors.ts';
import type { Session } from './session.ts';

export type SessionRules = ReturnType<typeof createSessionRules>;

/** When the user of a session last signed in, in seconds since 1970. Tokens of earlier versions were issued at sign-in. */
const authTimeOf = ({ auth_time, iat }: Claims): number => auth_time ?? iat;

/** Returns whether a session was made with two factors: a second step, or a passkey. */
const hasTwoFactors = ({ amr = [] }: Claims): boolean => amr.includes('mfa');

/** What a session must fulfil beyond being valid (CONTRACT §9.4 and §9.5). */
export function createSessionRules({
  config,
  clock,
  factors,
}: {
  config: Config;
  clock: Clock;
  factors: Factors;
}) {
  const isRecent = (claims: Claims, maxAgeSeconds: number) =>
    clock.now().getTime() / 1000 - authTimeOf(claims) <= maxAgeSeconds;

  const required = (maxAgeSeconds: number) =>
    new GatehouseError('recent_sign_in_required', { maxAgeSeconds });

  /**
   * Returns whether a session may change how its account signs in: its sign-in is recent, and made with the second step
   * where one is due for the account's password.
   */
  async function isRecentAndComplete({ user, claims }: Session): Promise<boolean> {
    if (!isRecent(claims, config.recentSignInSeconds)) return false;
    if (hasTwoFactors(claims) || !user.isMfaEnabled) return true;
    const { totp, phoneNumber } = await factors.of(user);
    return totp.length === 0 && phoneNumber === null;
  }

  return {
    /** Whether accounts can be required to have a second factor; while not, no session check asks. */
    requiresEnrolment: config.mfaRequired !== 'off',

    /**
     * Rejects a session of an account that must have a second factor and has none (`mfa_required`).
     * @throws {GatehouseError} mfa_enrolment_required
     */
    async assertEnrolled({ user }: Session): Promise<void> {
      if (await factors.isRestricted(user)) {
        throw new GatehouseError('mfa_enrolment_required');
      }
    },

    /**
     * Rejects a session whose sign-in is older than this, in seconds.
     * @throws {GatehouseError} recent_sign_in_required
     */
    assertRecent({ claims }: Session, maxAgeSeconds: number): void {
      if (!isRecent(claims, maxAgeSeconds)) throw required(maxAgeSeconds);
    },

    /**
     * Rejects a session that must not change how its account signs in: its sign-in is older than
     * `recent_sign_in_seconds`, or it was made without the second step that is due for the account's password. A passkey
     * alone makes none due, because a lost one must not lock its owner out.
     * @throws {GatehouseError} recent_sign_in_required
     */
    async assertSensitive(session: Session): Promise<void> {
      if (!(await isRecentAndComplete(session))) throw required(config.recentSignInSeconds);
    },

    isRecentAndComplete,

    /**
     * Rejects a session that was made with one factor.
     * @throws {GatehouseError} recent_sign_in_required, mfa_enrolment_required (the account has no second factor)
     */
    async assertTwoFactors({ user, claims }: Session): Promise<void> {
      if (hasTwoFactors(claims)) return;
      if (!factors.hasAny(await factors.of(user))) throw new GatehouseError('mfa_enrolment_required');
      throw required(config.recentSignInSeconds);
    },
  };
}
