import type { Config } from '../config/schema.ts';
import type { PasswordVerifier } from '../crypto/password-hash.ts';
import { type ErrorCode, fieldError, GatehouseError } from '../errors.ts';
import type { Lockout } from '../limits/lockout.ts';
import type { Trail } from '../observability/watch.ts';
import type { User } from '../tables/user.ts';
import { say } from '../words/said.ts';
import type { Caller } from './caller.ts';
import type { ConsecutiveFailures } from './consecutive-failures.ts';
import type { Factors } from './factors.ts';
import type { Session } from './session.ts';
import type { SessionRules } from './session-rules.ts';

export type Reauthentication = ReturnType<typeof createReauthentication>;

interface Parts {
  config: Config;
  hasher: PasswordVerifier;
  lockout: Lockout;
  consecutiveFailures: ConsecutiveFailures;
  sessionRules: SessionRules;
  factors: Factors;
}

/** Asks for the current password again, before an act that an open session alone must not permit (SPEC §5.2.3). */
export function createReauthentication(parts: Parts) {
  const { config, hasher, lockout, consecutiveFailures, sessionRules, factors } = parts;
  const { recentSignInForAccount } = config;
  const stepErrors =
    factors.canDemandStep || recentSignInForAccount ? (['recent_sign_in_required'] as const) : [];
  const canLeaveOut = factors.hasAuthenticators || config.recentSignInForLinks || recentSignInForAccount;

  /**
   * Verifies the current password, whatever the session was made with.
   * @throws {GatehouseError} password_not_set, wrong_password, account_locked, invalid_input
   */
  async function verify(
    { user }: Pick<Session, 'user'>,
    password: string | null | undefined,
    caller: Caller,
    trail: Trail,
  ): Promise<void> {
    if (user.hashedPassword === null) throw new GatehouseError('password_not_set');
    if (password == null) {
      const errors = [fieldError('current_password', say('field_required'))];
      throw new GatehouseError('invalid_input', { errors });
    }
    const guess = await lockout.open({ currentPassword: user.id });
    const counted = await consecutiveFailures.open(user, user.email);
    const inForce = counted.isBlocked ? null : user;
    const isRight = await hasher.verify(inForce, password, user.id);
    await guess.decide(isRight, caller.ip);
    if (!(await counted.decide(isRight, trail))) throw new GatehouseError('wrong_password');
    // This also releases the slot of this guess.
    await lockout.clearCurrentPassword(user.id);
  }

  return {
    verify,

    /** The error of a session that lacks the second step (`assertPasswordIsEnough`), where one can be due. */
    stepErrors,

    /** The errors of `confirm`, the form of the input apart. */
    errors: [
      ...(['password_not_set', 'wrong_password', 'account_locked'] as const),
      ...stepErrors,
    ] satisfies ErrorCode[],

    /** Whether accounts without a password may leave it out. Otherwise the input is as SPEC.md has it. */
    canLeaveOut,

    /**
     * Asks for the current password, and for a session with the second step where an app or a due passkey is there. An account
     * without a password leaves it out, when its sign-in is recent and complete.
     * @throws {GatehouseError} password_not_set, wrong_password, account_locked, invalid_input, recent_sign_in_required
     */
    async confirm(
      session: Session,
      password: string | null | undefined,
      caller: Caller,
      trail: Trail,
    ): Promise<void> {
      const isLeftOut = canLeaveOut && password == null && session.user.hashedPassword === null;
      if (isLeftOut && (await sessionRules.isRecentAndComplete(session))) return;
      await verify(session, password, caller, trail);
      await sessionRules.assertPasswordIsEnough(session);
    },
  };
}

/** Returns the error for a session that was ended while its own request was being processed. */
export function sessionEndedError(): GatehouseError {
  return new GatehouseError('unauthenticated', { detail: say('error_session_ended') });
}

/**
 * Refuses to add a sign-in method or a second factor to an account whose address is not verified. Otherwise an attacker
 * could register another person's address and prepare the account for the day its owner takes it over (pre-hijacking,
 * CONTRACT §4.3).
 * @throws {GatehouseError} email_not_verified
 */
export function requireVerified(user: User): void {
  if (!user.isVerified) throw new GatehouseError('email_not_verified');
}
