import type { Background } from '../domain/background.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { ExternalIdentities } from '../domain/external-identities.ts';
import { createOAuthAccounts } from '../domain/linking.ts';
import { type CallbackParts, createOAuthCallback } from './oauth-callback.ts';
import { createOAuthExchange } from './oauth-exchange.ts';
import { createOAuthIdentities } from './oauth-identities.ts';
import { createOAuthLink } from './oauth-link.ts';
import { createOAuthStart } from './oauth-start.ts';

interface OAuthParts extends Omit<CallbackParts, 'accounts'> {
  identities: ExternalIdentities;
  background: Background;
}

/** External identity providers: signing in, linking, and the list of linked identities. */
export function createOAuth(parts: Dependencies, more: OAuthParts) {
  const { providers, identities } = more;
  const accounts = createOAuthAccounts(parts, identities, more.background);
  return {
    ...createOAuthStart(parts, providers),
    ...createOAuthCallback(parts, { ...more, accounts }),
    ...createOAuthExchange(parts, more.signIn),
    ...(parts.config.oauth.requireCodeChallenge &&
      createOAuthLink(parts, { providers, identities, accounts })),
    ...createOAuthIdentities(parts, providers, identities),
  };
}
