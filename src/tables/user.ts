import { boolean, defineTable, json, type RowOf, text, time } from './define.ts';

/** The user record of SPEC §2.1. Times have a resolution of one millisecond, the same as `iat`. */
export const users = defineTable({
  name: 'User',
  setting: 'user_collection',
  usualName: 'users',
  description: 'Table or collection of users',
  // For the administrators' lists of users, by status too.
  indexes: [
    ['createdAt', 'id'],
    ['isActive', 'createdAt', 'id'],
    ['isVerified', 'createdAt', 'id'],
    ['isSuperuser', 'createdAt', 'id'],
    ['isMfaEnabled', 'createdAt', 'id'],
    ['reportedAt', 'createdAt', 'id'],
  ],
  columns: {
    id: text().key(),
    email: text().unique(),
    fullName: text().nullable(),
    hashedPassword: text().nullable(),
    /** The fingerprint of the hash that was made from the NFC form of the password (CONTRACT §4.2). */
    passwordForm: text().nullable(),
    /**
     * When the present password was set, for people and exports; null is not known. A version that does not store it leaves the time
     * of the password that it replaces.
     */
    passwordSetAt: time().nullable(),
    phoneNumber: text().nullable(),
    /** When the present number was confirmed with a code; null is never, or by a version that did not store it. */
    phoneConfirmedAt: time().nullable(),
    isActive: boolean(),
    isVerified: boolean(),
    isSuperuser: boolean(),
    isMfaEnabled: boolean(),
    createdAt: time(),
    /**
     * When its owner registered, signed up with a provider or accepted an invitation; null is not at all (imported, made by
     * others), or with a version that did not store it.
     */
    signedUpAt: time().nullable(),
    updatedAt: time(),
    lastLogin: time().nullable(),
    tokensInvalidatedAfter: time().nullable(),
    /** The latest `iat` of any token of any purpose issued to this user: a cutoff is never below it. */
    lastIssuedAt: time().nullable(),
    /** When a link "this was not me" closed the account, until its owner returns (CONTRACT §12.4). */
    reportedAt: time().nullable(),
    /** Passkeys and identities added since then do not sign in by themselves, until the owner keeps them. */
    distrustedSince: time().nullable(),
    /** Since when no reset link is sent, because the link of a former address was used. */
    resetsHeldAt: time().nullable(),
    /** The language of emails and text messages; null for the default one. */
    locale: text().nullable(),
    /** The own fields by their names, those that the configuration no longer names included; without nulls. */
    fields: json<Record<string, unknown>>().nullable().named('own_fields'),
    /** The roles, those that the configuration no longer names included. */
    roles: json<string[]>().nullable().named('own_roles'),
  },
  mongodb: { indexes: [{ keys: { own_roles: 1, created_at: 1, _id: 1 } }] },
});

export type User = RowOf<typeof users>;
