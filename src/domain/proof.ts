import type { AuthenticationMethod, Claims, ReplacedSession } from '../crypto/claims.ts';
import type { SignInMethod } from '../events.ts';
import type { Caller } from './caller.ts';

/** The proofs so far, and the request that gave them. */
export interface Proof {
  /** The methods that were used (RFC 8176). */
  amr: AuthenticationMethod[];
  method: SignInMethod;
  caller: Caller;
  /** How long ago the person proved it, in seconds, where that was elsewhere and not just now; infinite where that is unknown. */
  secondsAgo?: number;
  /** Whether the lockout spares it, where that has been looked up. */
  isFromKnownPlace?: boolean | undefined;
  /** The session that the new one replaces, after a sign-in that was asked for in a session (reauthentication). */
  replaces?: ReplacedSession | undefined;
  /** The session that ends once the new one has begun (`replace_session_at_sign_in`). */
  supersedes?: ReplacedSession | undefined;
}

/** Returns what a new session or a pending token must remember of the session that it replaces. */
export const replacedSession = ({ jti, exp }: Claims): ReplacedSession => ({ jti, exp });
