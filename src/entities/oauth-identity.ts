import { defineEntity, p } from '@mikro-orm/core';
import type { KeyColumn, Stored } from './record.ts';

/** A subject of a provider that signs one user in; a subject has one user, and a user one subject per provider. */
export function oauthIdentity(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'OAuthIdentity',
    tableName,
    uniques: [{ properties: ['provider', 'subjectId'] }, { properties: ['userId', 'provider'] }],
    properties: {
      id: p.text().primary().fieldName(key('id')),
      provider: p.text(),
      subjectId: p.text(),
      userId: p.text(),
      email: p.text().nullable(),
      linkedAt: p.datetime(3),
      lastUsedAt: p.datetime(3).nullable(),
    },
  });
}

export type OAuthIdentity = Stored<ReturnType<typeof oauthIdentity>>;
