import { boolean, defineTable, json, type RowOf, text, time } from './define.ts';

/**
 * An address that waits for its verification link to be used. There is one row per address, so that a new link replaces
 * the old one. With `userId` it verifies an existing user, otherwise it becomes one.
 */
export const pendingRegistrations = defineTable({
  name: 'PendingRegistration',
  setting: 'pending_collection',
  usualName: 'pending_registrations',
  description: '… of pending registrations',
  columns: {
    email: text().key(),
    tokenHash: text().unique(),
    userId: text().nullable(),
    hashedPassword: text().nullable(),
    /** As that of a user, for the user that it becomes. */
    passwordForm: text().nullable(),
    fullName: text().nullable(),
    createdAt: time(),
    expiresAt: time().indexed(),
    /**
     * Whether more than one person may have registered this address (pre-hijacking). Then no password is stored: the
     * person who opens the link in the email chooses one (CONTRACT §2.2).
     */
    isContested: boolean().default(false),
    /** When a user began to be made of it. From then on no other registration changes it. */
    claimedAt: time().nullable(),
    /** The language of its emails, and of the user that it becomes; null for the default one. */
    locale: text().nullable(),
    /** The own fields, for the user that it becomes. */
    fields: json<Record<string, unknown>>().nullable().named('own_fields'),
    /** `createdAt` of the registration that gave the fields: the former version replaces a row and leaves them. */
    fieldsAt: time().nullable().named('own_fields_at'),
  },
  ends: { by: 'expiresAt' },
});

export type PendingRegistration = RowOf<typeof pendingRegistrations>;
