import { UserIdInput, UserProviderInput } from '../contract/inputs/admin.ts';
import { MessageView } from '../contract/views/message.ts';
import { UserIdentitiesView } from '../contract/views/oauth.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { ExternalIdentities } from '../domain/external-identities.ts';
import { createGetUser } from './get-user.ts';

/** Looks of administrators at the external identities of an account, and their removal. */
export function createAdminIdentities(parts: Dependencies, identities: ExternalIdentities) {
  const { config, define } = parts;
  const getUser = createGetUser(parts);
  const access = { kind: 'superuser' } as const;

  const userIdentities = define(
    {
      name: 'userIdentities',
      at: 'GET /admin/users/{id}/identities',
      summary: 'The external identities of an account, the one linked first at the top.',
      description: 'They show with which providers the account can sign in, and since when.',
      access,
      input: UserIdInput,
      output: UserIdentitiesView,
      errors: ['not_found'],
    },
    async ({ id }, { trail }): Promise<UserIdentitiesView> => {
      const linked = await identities.list(await getUser(id, trail));
      return {
        items: linked.map(({ identity, view }) => ({
          ...view,
          issuer: identity.issuer || null,
          acr: identity.acr,
          amr: identity.amr?.split(' ') ?? null,
        })),
      };
    },
  );

  const unlinkIdentity = define(
    {
      name: 'adminUnlinkOAuth',
      at: 'DELETE /admin/users/{id}/identities/{provider}',
      summary: 'Unlinks an external identity of an account, the last sign-in method too.',
      description: 'The sessions of the account go on; its owner gets an email.',
      access: { ...access, isAdministration: config.recentSignInForAdministration, isSensitiveForSelf: true },
      input: UserProviderInput,
      output: MessageView,
      errors: ['not_found', 'last_sign_in_method'],
    },
    async ({ id, provider }, { session, trail, t }): Promise<MessageView> => {
      const user = await getUser(id, trail);
      await identities.unlink(user, provider, trail, { keepsOne: session?.user.id === id });
      return { message: t('notice_identity_unlinked') };
    },
  );

  return { userIdentities, unlinkIdentity };
}
