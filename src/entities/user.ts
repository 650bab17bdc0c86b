import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/** The user record of SPEC §2.1. Times have a resolution of one millisecond, the same as `iat`. */
export function user(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'User',
    tableName,
    // For the administrators' lists of users by status.
    indexes: (['isActive', 'isVerified', 'isSuperuser', 'isMfaEnabled', 'reportedAt'] as const).map(
      status => ({
        properties: [status, 'id'] as const,
      }),
    ),
    properties: {
      id: p.text().primary().fieldName(key('id')),
      email: p.text().unique(),
      fullName: p.text().nullable(),
      hashedPassword: p.text().nullable(),
      phoneNumber: p.text().nullable(),
      /** When the present number was confirmed with a code; null is never, or by a version that did not store it. */
      phoneConfirmedAt: p.datetime(3).nullable(),
      isActive: p.boolean(),
      isVerified: p.boolean(),
      isSuperuser: p.boolean(),
      isMfaEnabled: p.boolean(),
      createdAt: p.datetime(3),
      updatedAt: p.datetime(3),
      lastLogin: p.datetime(3).nullable(),
      tokensInvalidatedAfter: p.datetime(3).nullable(),
      /** The latest `iat` of any token of any purpose issued to this user: a cutoff is never below it. */
      lastIssuedAt: p.datetime(3).nullable(),
      /** When a link "this was not me" closed the account, until its owner returns (CONTRACT §12.4). */
      reportedAt: p.datetime(3).nullable(),
      /** Passkeys and identities added since then sign nobody in by themselves, until the owner keeps them. */
      distrustedSince: p.datetime(3).nullable(),
      /** Since when no reset link is sent, because the link of a former address was used. */
      resetsHeldAt: p.datetime(3).nullable(),
      /** The own fields by their names, those that the configuration no longer names included; without nulls. */
      fields: p.json<Record<string, unknown>>().nullable().fieldName('own_fields'),
      /** The roles, those that the configuration no longer names included. */
      roles: p.json<string[]>().nullable().fieldName('own_roles'),
    },
  });
}

export type User = Stored<ReturnType<typeof user>>;
