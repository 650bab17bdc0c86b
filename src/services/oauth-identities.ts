import { z } from 'zod';
import { UnlinkOAuthInput } from '../contract/inputs/oauth.ts';
import { MessageView } from '../contract/views/message.ts';
import { OAuthProvidersView } from '../contract/views/oauth.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { ExternalIdentities } from '../domain/external-identities.ts';
import type { Provider } from '../oauth/provider.ts';

/** The external identities of one's own account; `providers` are those that can be used. */
export function createOAuthIdentities(
  { config, define }: Dependencies,
  providers: readonly Provider[],
  identities: ExternalIdentities,
) {
  const unlink = define(
    {
      name: 'unlinkOAuth',
      at: 'DELETE /oauth/{provider}/link',
      summary: 'Unlinks an external identity, unless it is the last sign-in method.',
      description: 'The provider itself is told nothing. The owner gets an email about it.',
      access: { kind: 'session', isSensitive: config.recentSignInForLinks },
      input: UnlinkOAuthInput,
      output: MessageView,
      errors: ['not_found', 'last_sign_in_method'],
    },
    async ({ provider }, { session: { user }, trail, t }): Promise<MessageView> => {
      await identities.unlink(user, provider, trail, { keepsOne: true });
      return { message: t('notice_identity_unlinked') };
    },
  );

  const listProviders = define(
    {
      name: 'oauthProviders',
      at: 'GET /oauth/providers',
      summary: 'The identity providers that can be used, and those that are linked to the account.',
      description: 'Those that can be used come from the configuration.',
      access: { kind: 'session' },
      input: z.strictObject({}),
      output: OAuthProvidersView,
      audited: false,
      errors: [],
    },
    async (_input, { session: { user } }): Promise<OAuthProvidersView> => {
      const linked = await identities.list(user);
      return {
        available: providers.map(({ name }) => name),
        linked: linked.map(({ view }) => view),
        has_password: user.hashedPassword !== null,
      };
    },
  );

  return { unlink, listProviders };
}
