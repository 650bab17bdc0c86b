import { FinishOAuthLinkInput } from '../contract/inputs/oauth.ts';
import { LinkedIdentityView } from '../contract/views/oauth.ts';
import { findUserOfSession } from '../domain/authentication.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { ExternalIdentities } from '../domain/external-identities.ts';
import { FlowError, type OAuthAccounts } from '../domain/linking.ts';
import { assertVerifier, createOAuthResults, linkingSessionOf } from '../domain/oauth-results.ts';
import { requireVerified } from '../domain/reauthentication.ts';
import { contentionError, type ErrorCode, GatehouseError } from '../errors.ts';
import type { ExternalIdentity, Provider } from '../oauth/provider.ts';

interface LinkParts {
  providers: readonly Provider[];
  identities: ExternalIdentities;
  accounts: OAuthAccounts;
}

/** Why a link fails, beside what the input says: the session has ended, or the identity is taken. */
const refusals: Partial<Record<string, ErrorCode>> = {
  identity_in_use: 'identity_in_use',
  already_linked: 'already_linked',
  bad_state: 'unauthenticated',
};

/**
 * The end of a link that was started with a code challenge: the browser that started it collects the result, so an
 * attacker cannot link another person's identity to an account by sending that person the address of the provider.
 */
export function createOAuthLink(parts: Dependencies, { providers, identities, accounts }: LinkParts) {
  const { config, repositories, define } = parts;
  const { rules } = parts.sessions;
  const results = createOAuthResults(parts);

  const finishLink = define(
    {
      name: 'finishOAuthLink',
      at: 'POST /oauth/link/finish',
      summary: 'Links the external identity that the browser came back with, once.',
      description:
        'It takes the `id` that the browser brought, and the code verifier of the start, in the session that started the link.',
      access: { kind: 'session' },
      input: FinishOAuthLinkInput,
      output: LinkedIdentityView,
      limit: 'oauth_exchange',
      errors: [
        ...([
          'not_found',
          'invalid_token',
          'email_not_verified',
          'identity_in_use',
          'already_linked',
        ] as const),
        ...(config.recentSignInForLinks ? (['recent_sign_in_required'] as const) : []),
      ],
    },
    async ({ id, code_verifier }, { session, caller, trail }): Promise<LinkedIdentityView> => {
      const { user, claims } = session;
      const result = await results.find(id, 'link');
      if (!result) throw new GatehouseError('not_found');
      const { row, content } = result;
      const started = linkingSessionOf(row);
      if (started.jti !== claims.jti || started.sub !== user.id) throw new GatehouseError('not_found');
      assertVerifier(code_verifier, row);
      const provider = providers.find(({ name }) => name === row.provider);
      if (!provider) throw new GatehouseError('not_found');
      requireVerified(user);
      // An app may have been added while the person was at the provider, whose time is not counted.
      if (config.recentSignInForLinks) await rules.assertComplete(session);
      if (!(await results.consume(result))) throw new GatehouseError('not_found');
      const external: ExternalIdentity = JSON.parse(content);
      const hasSession = async () => (await findUserOfSession(repositories, claims, caller)) !== null;
      const identity = await accounts
        .link(user, provider, external, hasSession, trail)
        .catch((error: unknown) => {
          if (!(error instanceof FlowError)) throw error;
          const code = refusals[error.code];
          throw code ? new GatehouseError(code, { cause: error }) : contentionError(error);
        });
      return identities.viewOf(user, identity);
    },
  );

  return { finishLink };
}
