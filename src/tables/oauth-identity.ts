import { defineTable, type RowOf, text, time } from './define.ts';

/**
 * A subject of an issuer, linked to one user. A subject has one user, and a user has one subject per provider. The issuer
 * is part of the key because a provider is only a name in the configuration: another issuer under that name may give the
 * same subject to another person.
 */
export const oauthIdentities = defineTable({
  name: 'OAuthIdentity',
  setting: 'oauth_identity_collection',
  usualName: 'oauth_identities',
  description: '… of provider identities',
  uniques: [
    ['issuer', 'subjectId'],
    ['userId', 'provider'],
  ],
  columns: {
    id: text().key(),
    provider: text(),
    /** Empty in rows of a version that did not store it yet; the first sign-in with such an identity sets it. */
    issuer: text().default(''),
    subjectId: text(),
    userId: text(),
    email: text().nullable(),
    linkedAt: time(),
    lastUsedAt: time().nullable(),
    /** Set by a request that is about to remove this identity: marked identities do not count as a way to sign in. */
    unlinking: text().nullable(),
    /** How the person last signed in at the provider (OpenID Connect Core §2), as far as it said so. */
    acr: text().nullable(),
    /** As `acr`: the names of the methods (RFC 8176), separated by spaces. */
    amr: text().nullable(),
  },
  owner: 'userId',
});

export type OAuthIdentity = RowOf<typeof oauthIdentities>;

/** The issuer of identities that were stored without one while their subject was linked again: no provider has it. */
export const superseded = 'superseded';

/** The issuer of identities that were stored without one, by the name of their provider. */
export type IdentityIssuers = Record<string, string>;
