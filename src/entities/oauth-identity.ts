import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/**
 * A subject of an issuer, linked to one user. A subject has one user, and a user has one subject per provider. The issuer
 * is part of the key because a provider is only a name in the configuration: another issuer under that name may give the
 * same subject to another person.
 */
export function oauthIdentity(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'OAuthIdentity',
    tableName,
    uniques: [{ properties: ['issuer', 'subjectId'] }, { properties: ['userId', 'provider'] }],
    properties: {
      id: p.text().primary().fieldName(key('id')),
      provider: p.text(),
      /** Empty in rows of a version that did not store it yet; the first sign-in with such an identity sets it. */
      issuer: p.text().default(''),
      subjectId: p.text(),
      userId: p.text(),
      email: p.text().nullable(),
      linkedAt: p.datetime(3),
      lastUsedAt: p.datetime(3).nullable(),
      /** Set by a request that is about to remove this identity: marked identities do not count as a way to sign in. */
      unlinking: p.text().nullable(),
      /** How the person last signed in at the provider (OpenID Connect Core §2), as far as it said so. */
      acr: p.text().nullable(),
      /** As `acr`: the names of the methods (RFC 8176), separated by spaces. */
      amr: p.text().nullable(),
    },
  });
}

export type OAuthIdentity = Stored<ReturnType<typeof oauthIdentity>>;

/** The issuer of identities that were stored without one while their subject was linked again: no provider has it. */
export const superseded = 'superseded';

/** The issuer of identities that were stored without one, by the name of their provider. */
export type IdentityIssuers = Record<string, string>;
