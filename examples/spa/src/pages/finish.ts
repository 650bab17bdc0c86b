import type { MfaChallenge, Session } from 'gatehouse-auth/client';
import { pendingLogin } from '../once.ts';
import { go } from '../router.ts';

/** Where a login leads: into the account, or to the second step. The client has kept the token of a session. */
export function finish(entered: Session | MfaChallenge): undefined {
  if ('accessToken' in entered) return go('/') as undefined;
  pendingLogin.set(entered.mfaPendingToken);
  return go('/mfa') as undefined;
}
