import { defineEntity, p } from '@mikro-orm/core';
import type { KeyColumn, Stored } from './record.ts';

/**
 * An address that waits for its verification link to be used; one row an address, so that a new link replaces the old.
 * With `userId` it verifies a user who exists already, otherwise it becomes one.
 */
export function pendingRegistration(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'PendingRegistration',
    tableName,
    properties: {
      email: p.text().primary().fieldName(key('email')),
      tokenHash: p.text().unique(),
      userId: p.text().nullable(),
      hashedPassword: p.text().nullable(),
      fullName: p.text().nullable(),
      createdAt: p.datetime(3),
      expiresAt: p.datetime(3).index(),
    },
  });
}

export type PendingRegistration = Stored<ReturnType<typeof pendingRegistration>>;
