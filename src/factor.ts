import type { AuthenticatorKind } from './tables/authenticator.ts';

/** A kind of authenticators that a feature adds to accounts, and how one counts in a sign-in (CONTRACT §9.4). */
export interface Factor {
  /** The kind of its authenticators, which is also the name of its method in the second step. */
  readonly kind: AuthenticatorKind;
  /** The field of the configuration that switches it on. */
  readonly flag: string;
  /** The second step offers the strongest method first. */
  readonly strength: number;
  /** Its proof: a code, which can be guessed, or the answer of a device to a challenge. */
  readonly takes: 'code' | 'credential';
  /**
   * Whether one makes a second step due after every password (`is_mfa_enabled`); otherwise only where the policy requires a
   * factor of its account.
   */
  readonly isStep: boolean;
}
