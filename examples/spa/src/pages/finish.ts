import { go } from '../router.ts';
import { pendingLogin, session } from '../session.ts';

type Entered =
  | { __typename: 'Session' | 'OAuthSession'; accessToken: string }
  | { __typename: 'MfaChallenge'; mfaPendingToken: string };

/** Where a login leads: into the account, or to the code on the phone. */
export function finish(entered: Entered | null | undefined): undefined {
  if (!entered) return;
  if (entered.__typename === 'MfaChallenge') {
    pendingLogin.set(entered.mfaPendingToken);
    go('/mfa');
    return;
  }
  session.set(entered.accessToken);
  go('/');
}
