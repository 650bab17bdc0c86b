import { z } from 'zod';
import { GatehouseError } from '../errors.ts';
import { UnlinkOAuthInput } from '../inputs/oauth.ts';
import type { Dependencies } from './dependencies.ts';
import { MessageView, OAuthProvidersView, toUserPublic } from './views.ts';

export type OAuthIdentities = ReturnType<typeof createOAuthIdentities>;

/** The external identities of an account; `names` are the providers that can be used. */
export function createOAuthIdentities(
  { repositories, notices, events, define }: Dependencies,
  names: readonly string[],
) {
  const { oauth_identities } = repositories;

  const unlink = define(
    {
      name: 'unlinkOAuth',
      access: 'session',
      input: UnlinkOAuthInput,
      answers: MessageView,
      errors: ['not_found', 'last_sign_in_method'],
    },
    async ({ provider }, { session: { user } }): Promise<MessageView> => {
      const identities = await oauth_identities.listByUser(user.id);
      const identity = identities.find(candidate => candidate.provider === provider);
      if (!identity)
        throw new GatehouseError('not_found', { detail: 'No identity of this provider is linked.' });
      if (user.hashedPassword === null && identities.length === 1)
        throw new GatehouseError('last_sign_in_method');
      if (!(await oauth_identities.remove(identity.id))) throw new GatehouseError('not_found');
      notices.tell('identityUnlinked', user, { provider });
      events.emit('oauth_account_unlinked', { user: toUserPublic(user), provider });
      return { message: 'The identity was unlinked.' };
    },
  );

  const listProviders = define(
    {
      name: 'oauthProviders',
      access: 'session',
      input: z.strictObject({}),
      answers: OAuthProvidersView,
      audited: false,
      errors: [],
    },
    async (_input, { session: { user } }): Promise<OAuthProvidersView> => {
      const linked = await oauth_identities.listByUser(user.id);
      return {
        available: [...names],
        linked: linked.map(({ provider, email, linkedAt, lastUsedAt }) => ({
          provider,
          email,
          linked_at: linkedAt.toISOString(),
          last_used_at: lastUsedAt?.toISOString() ?? null,
        })),
      };
    },
  );

  return { unlink, listProviders };
}
