import type { AuthenticationMethod } from '../crypto/claims.ts';
import type { ErrorCode } from '../errors.ts';
import type { Trail } from '../observability/watch.ts';
import type { AuthenticatorKind } from '../tables/authenticator.ts';
import type { User } from '../tables/user.ts';
import type { PendingStep } from './second-step.ts';

/** The input by which a client proves a method of the second step. */
export interface StepProof {
  code: string | null;
  /** The challenge of a device and its answer. */
  id: string | null;
  credential: Record<string, unknown> | null;
}

/** One guess at a second step. */
export interface StepGuess {
  /**
   * Counts the guess for its user, right or wrong, and then uses up what was proved.
   * @param check returns null for a wrong guess, else the function that uses it up, which returns null or false when
   * another request did so meanwhile
   * @throws {GatehouseError} account_locked, mfa_code_wrong, LOCKED
   */
  decide<T>(check: () => Promise<(() => Promise<T | null | false>) | null>): Promise<T>;
  /** How many guesses the pending token allows after this one. */
  remaining: number;
  /** The address of the client, as `Caller` has it. */
  ip: string | null;
  trail: Trail;
}

/** Checks the proof of one method and returns what it adds to `amr`. */
export type Prove = (
  step: PendingStep,
  proof: StepProof,
  guess: StepGuess,
) => Promise<AuthenticationMethod[]>;

/** How the authenticators of a feature are proved, while it is on. */
export interface FactorProof {
  readonly kind: AuthenticatorKind;
  /** Proves the second step. Throws one of `errors`, or what its guess throws. */
  prove: Prove;
  /**
   * Proves an account by itself, as both factors; absent where it only follows a first factor.
   * @throws {GatehouseError} one of `errors`
   */
  proveAlone?(
    id: string,
    credential: Record<string, unknown>,
  ): Promise<{ user: User; amr: AuthenticationMethod[] }>;
  /** The errors of a proof, beside those of codes. */
  readonly errors: readonly ErrorCode[];
  /** The error that refuses a wrong proof, which counts as a wrong guess. */
  readonly refusal: ErrorCode;
}
