import type { GatehouseError } from './error.ts';
import type { Operation } from './operation.ts';
import { defaultStorage, type TokenStorage } from './storage.ts';

/** The sign-in that a call needs; empty where any recent one will do. */
export interface WantedSignIn {
  /** The strengths that are enough: `aal1`, `aal2`, `phr`. */
  acrValues?: readonly string[] | undefined;
  /** Its greatest age, in seconds. */
  maxAge?: number | undefined;
}

export interface SessionOptions {
  /** Where the session token is kept; by default the browser's local storage under the key of the bundled pages, else memory. */
  storage?: TokenStorage | undefined;
  /** Called once when the server has refused the stored token, which is then removed. */
  onSessionEnded?: (() => void) | undefined;
  /**
   * Called where a call needs a recent sign-in, or a stronger one. When it has signed in again, the call is made once more; when it returns
   * false, the call fails.
   */
  onRecentSignInRequired?: ((wanted: WantedSignIn) => unknown) | undefined;
}

/** The operations that end the caller's own session, as the caller expects. */
const ending = /^(logout|changePassword|deleteAccount)$/;

/**
 * Returns what knows the session: it lends its token to calls, and learns from their outcomes.
 * @param end ends the session of a token
 */
export function createSession(
  { storage = defaultStorage(), onSessionEnded, onRecentSignInRequired }: SessionOptions,
  end: (token: string) => Promise<unknown>,
) {
  const listeners = new Set<() => void>();
  /** Calls under way that may replace the token. */
  const renewing = new Set<Promise<unknown>>();
  /** The token whose session its owner is ending. */
  let leaving: string | null = null;
  let signingIn: Promise<unknown> | undefined;

  function change(token: string | null): void {
    if (token) storage.set(token);
    else storage.remove();
    for (const listener of listeners) listener();
  }

  /** Asks once for a sign-in, however many calls wait for it. Returns whether they are to be made again. */
  async function signInAgain({ acrValues, maxAge }: GatehouseError): Promise<boolean> {
    signingIn ??= Promise.resolve(onRecentSignInRequired?.({ acrValues, maxAge })).finally(() => {
      signingIn = undefined;
    });
    return (await signingIn) !== false;
  }

  /** Makes a call with the token that it needs, and keeps what its outcome says about the session. */
  async function run(
    operation: Operation,
    call: (token: string | null) => Promise<unknown>,
    isRepeated?: true,
  ): Promise<unknown> {
    const [name, letter, , , selection] = operation;
    const isForAnyone = letter > 'Z';
    const token = isForAnyone ? null : storage.get();
    // An operation of this letter needs no session, and takes one where there is one.
    const isCurrent = () => storage.get() === token;
    const isEnding = ending.test(name);
    if (isEnding) leaving = token;
    const answer = call(letter === 'o' ? storage.get() : token);
    // An access token for an API is no session.
    const isSession = /accessToken/.test(selection) && name !== 'issueAccessToken';
    if (isSession) renewing.add(answer);
    try {
      const result = (await answer) as
        | { accessToken?: string; session?: { accessToken: string } }
        | undefined;
      const continued = result?.session?.accessToken;
      const renewed = isSession ? (result?.accessToken ?? continued) : undefined;
      // A sign-in meanwhile takes precedence, and a sign-out from its begin.
      const isStill = () => token && isCurrent() && (isEnding || token !== leaving);
      const isKept = isForAnyone ? renewed : (renewed || isEnding) && isStill();
      if (isKept) change(renewed ?? null);
      // A new authenticator's session came beside the one before, of one factor. The caller need not wait for the end of either.
      const left = isKept ? continued && token : renewed;
      if (left) end(left).catch(() => {});
      return result;
    } catch (error) {
      renewing.delete(answer);
      const { code } = error as GatehouseError;
      if (token && code === 'unauthenticated') {
        // A token that is being replaced is refused before its successor is here, and a sign-out does not wait for the successor.
        if (token !== leaving) await Promise.allSettled(renewing);
        if (isCurrent()) {
          change(null);
          if (token !== leaving) onSessionEnded?.();
        }
      } else if (isEnding) leaving = null;
      const isAgain = code === 'recent_sign_in_required' && onRecentSignInRequired && !isRepeated;
      if (isAgain && (await signInAgain(error as GatehouseError))) return run(operation, call, true);
      throw error;
    } finally {
      renewing.delete(answer);
    }
  }

  return {
    run,
    token: () => storage.get(),
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
