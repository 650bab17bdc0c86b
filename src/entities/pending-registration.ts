import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/**
 * An address that waits for its verification link to be used. There is one row per address, so that a new link replaces
 * the old one. With `userId` it verifies an existing user, otherwise it becomes one.
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
      /**
       * Whether more than one person may have registered this address (pre-hijacking). Then no password is stored: the
       * person who opens the link in the email chooses one (CONTRACT §2.2).
       */
      isContested: p.boolean().default(false),
      /** When a user began to be made of it. From then on no other registration changes it. */
      claimedAt: p.datetime(3).nullable(),
      /** The own fields, for the user that it becomes. */
      fields: p.json<Record<string, unknown>>().nullable().fieldName('own_fields'),
      /** `createdAt` of the registration that gave the fields: the former version replaces a row and leaves them. */
      fieldsAt: p.datetime(3).nullable().fieldName('own_fields_at'),
    },
  });
}

export type PendingRegistration = Stored<ReturnType<typeof pendingRegistration>>;
