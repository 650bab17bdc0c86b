import type { Dependencies } from '../domain/dependencies.ts';
import { type CallbackParts, createOAuthCallback } from './oauth-callback.ts';
import { createOAuthExchange } from './oauth-exchange.ts';
import { createOAuthIdentities } from './oauth-identities.ts';
import { createOAuthStart } from './oauth-start.ts';

/** External identity providers: signing in, linking, and the list of linked identities. */
export function createOAuth(parts: Dependencies, more: CallbackParts) {
  const { providers, identities } = more;
  return {
    ...createOAuthStart(parts, providers),
    ...createOAuthCallback(parts, more),
    ...createOAuthExchange(parts, more.signIn),
    ...createOAuthIdentities(parts, providers, identities),
  };
}
