import { defineEntity, p } from '@mikro-orm/core';
import type { KeyColumn, Stored } from './record.ts';

/** SPEC §2.1. Times have a resolution of one millisecond, the same as `iat`. */
export function user(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'User',
    tableName,
    // Administrators list users by what they are.
    indexes: (['isActive', 'isVerified', 'isSuperuser', 'isMfaEnabled'] as const).map(flag => ({
      properties: [flag, 'id'] as const,
    })),
    properties: {
      id: p.text().primary().fieldName(key('id')),
      email: p.text().unique(),
      fullName: p.text().nullable(),
      hashedPassword: p.text().nullable(),
      phoneNumber: p.text().nullable(),
      isActive: p.boolean(),
      isVerified: p.boolean(),
      isSuperuser: p.boolean(),
      isMfaEnabled: p.boolean(),
      createdAt: p.datetime(3),
      updatedAt: p.datetime(3),
      lastLogin: p.datetime(3).nullable(),
      tokensInvalidatedAfter: p.datetime(3).nullable(),
      /** The latest `iat` of any token of any purpose given to this user: a cutoff is never below it. */
      lastIssuedAt: p.datetime(3).nullable(),
    },
  });
}

export type User = Stored<ReturnType<typeof user>>;
