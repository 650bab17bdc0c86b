import { everyFactor, factorsOf } from '../config/factors.ts';
import type { Config } from '../config/schema.ts';
import { type AuthenticatorsView, toAuthenticatorView } from '../contract/views/authenticators.ts';
import type { MfaMethod } from '../contract/views/sign-in.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { Authenticator, AuthenticatorKind } from '../tables/authenticator.ts';
import type { User } from '../tables/user.ts';
import { isDistrusted } from './trust.ts';

export type Factors = ReturnType<typeof createFactors>;

/** The factors of an account beside its password and its identities. Only those that are switched on count. */
export interface AccountFactors {
  authenticators: Authenticator[];
  phoneNumber: string | null;
}

interface Parts {
  config: Config;
  repositories: Pick<Repositories, 'authenticators' | 'recovery_codes'>;
}

/** Which factors accounts have, and which of them the policy requires (CONTRACT §9.4). */
export function createFactors({ config, repositories: { authenticators, recovery_codes } }: Parts) {
  const on = factorsOf(config);
  const hasAuthenticators = on.length > 0;
  const steps = everyFactor.filter(({ isStep }) => isStep);
  /** Whether every authenticator that makes a second step due counts: then `is_mfa_enabled` says that there is one. */
  const areStepsOn = steps.length > 0 && steps.every(factor => on.includes(factor));
  /** Whether factors that make no step due by themselves count in a session all the same. */
  const countsOthers = config.recentSignInForAccount && on.some(factor => !factor.isStep);

  /** Returns whether the policy requires a factor of this account. */
  const isNamed = ({ isSuperuser }: User) =>
    config.mfaRequired === 'everyone' || (config.mfaRequired === 'superusers' && isSuperuser);

  const isOn = (kind: AuthenticatorKind) => on.some(factor => factor.kind === kind);

  /** Returns whether an authenticator that is switched on makes a second step due by itself. */
  const isStep = ({ kind }: Authenticator) => on.some(factor => factor.kind === kind && factor.isStep);

  /**
   * Returns the phone number of an account with these authenticators if it is no second step before its owner confirms it;
   * else null. Beside an app it must have been confirmed here: an imported one never was. Without an app the second step
   * that is on can only be the phone; a version that did not store when may have confirmed it.
   */
  const unconfirmedPhoneOf = (user: User, rows: Authenticator[]): string | null => {
    const isPhoneStep = user.isMfaEnabled && !rows.some(isStep);
    return user.phoneConfirmedAt !== null || isPhoneStep ? null : user.phoneNumber;
  };

  /** Returns the factors of an account with these authenticators. */
  const from = (user: User, rows: Authenticator[]): AccountFactors => {
    const isPhoneOn = config.enableSms2fa && user.isMfaEnabled && unconfirmedPhoneOf(user, rows) === null;
    return {
      authenticators: rows.filter(({ kind }) => isOn(kind)),
      phoneNumber: isPhoneOn ? user.phoneNumber : null,
    };
  };

  /** Returns the authenticators of an account, oldest first. Reads nothing while none are switched on. */
  const list = async (userId: string): Promise<Authenticator[]> =>
    hasAuthenticators
      ? (await authenticators.listByUser(userId))
          .filter(({ kind }) => isOn(kind))
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      : [];

  /** Returns the factors of an account. */
  const of = async (user: User): Promise<AccountFactors> => from(user, await list(user.id));

  /** Returns whether any of them is there. */
  const hasAny = (factors: AccountFactors) =>
    factors.authenticators.length > 0 || factors.phoneNumber !== null;

  return {
    /** Whether authenticators of any kind are switched on. */
    hasAuthenticators,

    /** Whether an account can have an authenticator that makes a second step due. */
    canDemandStep: on.some(factor => factor.isStep) || (hasAuthenticators && config.mfaRequired !== 'off'),

    /** The factors that are switched on, the strongest first. */
    on,

    isNamed,
    isOn,
    list,
    from,
    of,
    hasAny,
    unconfirmedPhoneOf,

    /**
     * Returns whether an authenticator keeps the second step of its account switched on, while its kind is off, too. A secret
     * of a feature that is not there does: the step is due again when the feature is back.
     */
    keepsStep: ({ kind, secret }: Pick<Authenticator, 'kind' | 'secret'>): boolean =>
      everyFactor.find(factor => factor.kind === kind)?.isStep ?? secret !== null,

    /** Returns the factors that make a second step due by themselves. */
    onlySteps: (factors: AccountFactors): AccountFactors => ({
      ...factors,
      authenticators: factors.authenticators.filter(isStep),
    }),

    /** Returns whether recovery codes are left, and how many. */
    async recoveryCodesLeft(userId: string): Promise<number> {
      if (!hasAuthenticators) return 0;
      const row = await recovery_codes.find(userId);
      return row ? (JSON.parse(row.hashes) as (string | null)[]).filter(hash => hash !== null).length : 0;
    },

    /** Returns the authenticators of an account as people see them: those of a kind that is switched off do not exist. */
    async view(user: User): Promise<AuthenticatorsView> {
      const rows = await list(user.id);
      const needsConfirmation = config.enableSms2fa && unconfirmedPhoneOf(user, rows) !== null;
      return {
        items: rows.map(row => ({
          ...toAuthenticatorView(row),
          ...(row.kind === 'passkey' && isDistrusted(user, row.createdAt) && { is_distrusted: true }),
        })),
        recovery_codes_left: await this.recoveryCodesLeft(user.id),
        ...(user.hashedPassword === null && { has_password: false }),
        ...(needsConfirmation && { phone_needs_confirmation: true }),
      };
    },

    /**
     * Returns whether a second step is due after the password of this account: it has a phone or an authenticator that makes
     * one due. Another authenticator alone makes none due, except where the policy requires a factor of the account.
     */
    isStepDue: (user: User, factors: AccountFactors): boolean =>
      factors.phoneNumber !== null ||
      factors.authenticators.some(isStep) ||
      (factors.authenticators.length > 0 && isNamed(user)),

    /** Whether an account without a due second step can have one in a session: `isStepDueInSession`. */
    countsOthersInSession: countsOthers,

    /**
     * As `isStepDue`, for a change of the account by a session. With `recent_sign_in_for_account` a passkey counts while
     * recovery codes are left, because a person who lost it can use one of them (CONTRACT §9.6).
     */
    async isStepDueInSession(user: User, factors: AccountFactors): Promise<boolean> {
      if (this.isStepDue(user, factors)) return true;
      const isCounted = countsOthers && factors.authenticators.length > 0;
      return isCounted && (await this.recoveryCodesLeft(user.id)) > 0;
    },

    /**
     * Returns the methods of the second step, strongest first; none when no second step is due. Reads nothing for an
     * account that cannot have one.
     * @param isAgain whether the sign-in continues a session
     */
    async methodsOf(user: User, isAgain = false): Promise<MfaMethod[]> {
      const inSession = isAgain && countsOthers;
      if (!user.isMfaEnabled && !isNamed(user) && !inSession) return [];
      const factors = await of(user);
      const isDue = inSession ? await this.isStepDueInSession(user, factors) : this.isStepDue(user, factors);
      if (!isDue) return [];
      const kinds = new Set(factors.authenticators.map(({ kind }) => kind));
      return [
        ...on.map(({ kind }) => kind).filter(kind => kinds.has(kind)),
        ...(factors.phoneNumber !== null ? (['sms'] as const) : []),
        ...((await this.recoveryCodesLeft(user.id)) > 0 ? (['recovery_code'] as const) : []),
      ];
    },

    /**
     * Returns what a challenge says of the second step. A text message goes out by itself when it is the strongest method.
     */
    describeMethods: (methods: MfaMethod[]): { delivery: 'sms' | 'none'; methods: MfaMethod[] } => ({
      delivery: methods[0] === 'sms' ? 'sms' : 'none',
      methods,
    }),

    /**
     * Returns whether the policy requires a factor that the account does not have, so that its sessions can only set one
     * up. Reads nothing for an account whose second step is on.
     */
    async isRestricted(user: User): Promise<boolean> {
      if (!isNamed(user)) return false;
      const hasStep = user.isMfaEnabled && (user.phoneNumber === null ? areStepsOn : config.enableSms2fa);
      return !hasStep && !hasAny(await of(user));
    },
  };
}
