import { z } from 'zod';
import { email, isDistrusted, time } from './fields.ts';
import { MfaChallengeView, SessionView } from './sign-in.ts';

/** Where the browser goes to sign in at the provider. */
export const OAuthStartView = z
  .object({ authorization_url: z.url().describe('The page of the identity provider.') })
  .meta({ id: 'OAuthStart', description: 'Where to send the browser.' });
export type OAuthStartView = z.infer<typeof OAuthStartView>;

/** Where the browser goes next; the response is the redirect itself. */
export const OAuthRedirect = z
  .object({ location: z.url().describe('The address to which the browser goes next.') })
  .meta({ id: 'OAuthRedirect', description: 'Where the browser goes next.' });
export type OAuthRedirect = z.infer<typeof OAuthRedirect>;

const finishedFlow = {
  redirect_to: z.string().describe('After an external sign-in: the page that the flow was started for.'),
  was_new_account: z.boolean().describe('After an external sign-in: whether it created the account.'),
};

/** A finished external sign-in. */
export const OAuthSessionView = SessionView.extend(finishedFlow).meta({
  id: 'OAuthSession',
  description: 'A finished external sign-in.',
});
export type OAuthSessionView = z.infer<typeof OAuthSessionView>;

/** An external sign-in whose second step is still required. */
export const OAuthMfaView = MfaChallengeView.extend(finishedFlow).meta({
  id: 'OAuthMfaChallenge',
  graphql: 'MfaChallenge',
  description: 'An external sign-in whose second step is due.',
});
export type OAuthMfaView = z.infer<typeof OAuthMfaView>;

export const LinkedIdentityView = z
  .object({
    provider: z.string().describe('The name of the identity provider.'),
    email: email.nullable().describe('The address that the provider named when the identity was linked.'),
    linked_at: time.describe('When the identity was linked.'),
    last_used_at: time.nullable().describe('When the identity was last used to sign in.'),
    is_distrusted: isDistrusted,
  })
  .meta({ id: 'LinkedIdentity', description: 'An external identity that signs the account in.' });
export type LinkedIdentityView = z.infer<typeof LinkedIdentityView>;

export const OAuthProvidersView = z
  .object({
    available: z.array(z.string()).describe('The names of the identity providers that can be used.'),
    linked: z.array(LinkedIdentityView).describe('The identities that are linked to the account.'),
    has_password: z.boolean().describe('Whether the account has a password.'),
  })
  .meta({ id: 'OAuthProviders', description: 'Identity providers, and what is linked to the account.' });
export type OAuthProvidersView = z.infer<typeof OAuthProvidersView>;

/** An external identity as administrators see it. */
const UserIdentityView = LinkedIdentityView.extend({
  issuer: z.string().nullable().describe('Who vouches for it; null when an earlier version stored it.'),
  acr: z.string().nullable().describe('How the last sign-in there was made, as far as the provider says.'),
  amr: z
    .array(z.string())
    .nullable()
    .describe('The methods of the last sign-in there, as far as the provider says.'),
}).meta({ id: 'UserIdentity', description: 'An external identity of an account.' });

export const UserIdentitiesView = z
  .object({ items: z.array(UserIdentityView).describe('The one linked first is at the top.') })
  .meta({ id: 'UserIdentities', description: 'The external identities of an account.' });
export type UserIdentitiesView = z.infer<typeof UserIdentitiesView>;
