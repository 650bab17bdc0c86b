import { defineTable, integer, type RowOf, text, time } from './define.ts';

/**
 * The purpose of a challenge. `second_step` is no challenge but the count of guesses of one pending token; its id is
 * that of the token. `imported_hashes` is none either: it is one row that says which work the hashes of imported users take.
 * `account_creation` is the note of an account that administration is making; its id is that of the account. `superuser_removal`
 * is the note of a superuser who is being disabled, demoted or deleted.
 */
export type ChallengePurpose =
  | 'totp_setup'
  | 'passkey_setup'
  | 'passkey_login'
  | 'passkey_mfa'
  | 'second_step'
  | 'imported_hashes'
  | 'account_creation'
  | 'superuser_removal';

/** A step that was begun and waits for its answer. It is inserted, read and deleted; only `attempts` changes. */
export const challenges = defineTable({
  name: 'Challenge',
  setting: 'challenge_collection',
  usualName: 'sign_in_challenges',
  description: '… of sign-ins and set-ups in progress',
  columns: {
    id: text().key(),
    purpose: text<ChallengePurpose>(),
    /** Null where the account is not known yet. */
    userId: text().nullable().indexed(),
    /** The `jti` of the session or of the pending token that it was begun with. */
    boundTo: text().nullable(),
    /** Passkey: the random challenge (base64url). TOTP: the encrypted secret. */
    value: text().nullable(),
    /** Passkey set-up: the user handle that the options named (base64url). */
    userHandle: text().nullable(),
    attempts: integer(),
    createdAt: time(),
    expiresAt: time().indexed(),
  },
  owner: 'userId',
  ends: { by: 'expiresAt' },
});

export type Challenge = RowOf<typeof challenges>;
