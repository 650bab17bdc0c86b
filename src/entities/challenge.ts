import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/**
 * What a challenge may be used for. `second_step` is no challenge but the count of guesses of one pending token; its id is
 * that of the token. `imported_hashes` is none either: it is one row that says which work the hashes of imported users take.
 */
export type ChallengePurpose =
  | 'totp_setup'
  | 'passkey_setup'
  | 'passkey_login'
  | 'passkey_mfa'
  | 'second_step'
  | 'imported_hashes';

/** A step that was begun and waits for its answer. It is inserted, read and deleted; only `attempts` changes. */
export function challenge(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'Challenge',
    tableName,
    properties: {
      id: p.text().primary().fieldName(key('id')),
      purpose: p.text().$type<ChallengePurpose>(),
      /** Null where the account is not known yet. */
      userId: p.text().nullable().index(),
      /** The `jti` of the session or of the pending token that it was begun with. */
      boundTo: p.text().nullable(),
      /** Passkey: the random challenge (base64url). TOTP: the encrypted secret. */
      value: p.text().nullable(),
      /** Passkey set-up: the user handle that the options named (base64url). */
      userHandle: p.text().nullable(),
      attempts: p.integer(),
      createdAt: p.datetime(3),
      expiresAt: p.datetime(3).index(),
    },
  });
}

export type Challenge = Stored<ReturnType<typeof challenge>>;
