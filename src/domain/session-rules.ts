import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Claims } from '../crypto/claims.ts';
import { GatehouseError } from '../errors.ts';
import type { User } from '../tables/user.ts';
import type { AccountFactors, Factors } from './factors.ts';
import { hasTwoFactors, type Session } from './session.ts';

export type SessionRules = ReturnType<typeof createSessionRules>;

/** A person, and how a session was made. */
interface SignedIn {
  user: User;
  claims: Pick<Claims, 'amr'>;
}

/** When the user of a session last signed in, in seconds since 1970. Tokens of earlier versions were issued at sign-in. */
const authTimeOf = ({ auth_time, iat }: Claims): number => auth_time ?? iat;

/** The demands on a session beyond its validity (CONTRACT §9.4 and §9.5). */
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

  /** Returns whether a session is of an external sign-in that is asked for no second step (`oauth.enforce_mfa`). */
  const isLeftToProvider = ({ amr = [] }: SignedIn['claims']): boolean =>
    amr.includes('fed') && !config.oauth.enforceMfa;

  /**
   * Returns whether a session was made without the second step that is due for the password of its account.
   * @param counted the factors of the account that count
   */
  async function lacksSecondStep(
    { user, claims }: SignedIn,
    counted: (factors: AccountFactors) => AccountFactors,
  ): Promise<boolean> {
    const canBeDue = user.isMfaEnabled || factors.isNamed(user) || factors.countsOthersInSession;
    if (hasTwoFactors(claims) || !canBeDue) return false;
    return factors.isStepDueInSession(user, counted(await factors.of(user)));
  }

  /** Returns whether a session was made with the second step, where one is due for the account's password. */
  async function isComplete(session: SignedIn): Promise<boolean> {
    const isLeft = isLeftToProvider(session.claims);
    return !(await lacksSecondStep(session, present => (isLeft ? factors.onlySteps(present) : present)));
  }

  /** Returns whether a session may change how its account signs in: its sign-in is recent and complete. */
  const isRecentAndComplete = async (
    session: Session,
    maxAgeSeconds = config.recentSignInSeconds,
  ): Promise<boolean> => isRecent(session.claims, maxAgeSeconds) && isComplete(session);

  return {
    /** Whether accounts can be required to have a second factor; session checks skip the question while false. */
    requiresEnrolment: config.mfaRequired !== 'off',

    /**
     * Rejects a session of an account that must have a second factor (`mfa_required`) and has none, or has one that the
     * session was made without: before the factor was there, maybe by somebody who has nothing but the password.
     * @throws {GatehouseError} mfa_enrolment_required, recent_sign_in_required
     */
    async assertEnrolled({ user, claims }: Session): Promise<void> {
      if (!factors.isNamed(user)) return;
      if (await factors.isRestricted(user)) throw new GatehouseError('mfa_enrolment_required');
      if (!hasTwoFactors(claims) && !isLeftToProvider(claims)) throw required(config.recentSignInSeconds);
    },

    /**
     * Rejects a key of an account that must have a second factor and has none.
     * @throws {GatehouseError} mfa_enrolment_required
     */
    async assertUnrestricted(user: User): Promise<void> {
      if (factors.isNamed(user) && (await factors.isRestricted(user)))
        throw new GatehouseError('mfa_enrolment_required');
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
     * alone makes none due, because a lost one must not lock its owner out; except where the policy requires a factor, and
     * with `recent_sign_in_for_account` while recovery codes are left.
     * @throws {GatehouseError} recent_sign_in_required
     */
    async assertSensitive(session: Session): Promise<void> {
      if (!(await isRecentAndComplete(session))) throw required(config.recentSignInSeconds);
    },

    /**
     * Rejects a session that must not administer, while `recent_sign_in_for_administration` is on: its sign-in is older than
     * `administration_sign_in_seconds`, or was made without the second step that is due.
     * @throws {GatehouseError} recent_sign_in_required
     */
    async assertAdministration(session: Session): Promise<void> {
      const seconds = config.administrationSignInSeconds;
      if (!(await isRecentAndComplete(session, seconds))) throw required(seconds);
    },

    isRecentAndComplete,

    /**
     * Rejects a session that was made without the second step that is due for the account's password, whatever its age.
     * @throws {GatehouseError} recent_sign_in_required
     */
    async assertComplete(session: SignedIn): Promise<void> {
      if (!(await isComplete(session))) throw required(config.recentSignInSeconds);
    },

    /**
     * Rejects a session that was made without the second step, where the current password has been given and is not enough:
     * somebody may have learnt it who has a session from before the app or passkey was there. A phone alone does not count,
     * so that it can be removed in the session that set it up (CONTRACT §9.5), except with `recent_sign_in_for_account`. Of an
     * account without a password only apps count where its provider is left to ask for a second step, as in its sign-in.
     * @param countsPhone whether it counts here
     * @throws {GatehouseError} recent_sign_in_required
     */
    async assertPasswordIsEnough(
      session: Session,
      countsPhone = config.recentSignInForAccount,
    ): Promise<void> {
      const withoutPhone = !countsPhone && { phoneNumber: null };
      const isLeft = session.user.hashedPassword === null && isLeftToProvider(session.claims);
      const lacks = await lacksSecondStep(session, present => ({
        ...(isLeft ? factors.onlySteps(present) : present),
        ...withoutPhone,
      }));
      if (lacks) throw required(config.recentSignInSeconds);
    },

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
