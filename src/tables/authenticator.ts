import { boolean, defineTable, double, type RowOf, text, time } from './define.ts';

/** `totp`: an authenticator app (RFC 6238). `passkey`: a WebAuthn credential. */
export type AuthenticatorKind = 'totp' | 'passkey';

/**
 * A confirmed second factor or passkey of an account. The unique `slot` bounds how many an account can have, without a
 * transaction: an authenticator takes one of ten slots when it is inserted.
 */
export const authenticators = defineTable({
  name: 'Authenticator',
  setting: 'authenticator_collection',
  usualName: 'authenticators',
  description: '… of authenticator apps and passkeys',
  columns: {
    id: text().key(),
    userId: text().indexed(),
    /** `<userId>:<number>`, with a number from 0 to 9. */
    slot: text().unique(),
    kind: text<AuthenticatorKind>(),
    name: text(),
    createdAt: time(),
    lastUsedAt: time().nullable(),
    /** TOTP: the secret, encrypted with the data encryption key for this user and row. */
    secret: text().nullable(),
    /** TOTP: the time step of the last accepted code; a code of this step or an earlier one is refused. */
    lastStep: double(),
    /** Passkey: the credential id (base64url). The row's own id for other kinds, because the column is unique. */
    credentialId: text().unique(),
    /** Passkey: the COSE public key (base64url). */
    publicKey: text().nullable(),
    /** Passkey: the random handle under which the authenticator knows the account (base64url). */
    userHandle: text().nullable(),
    /** Passkey: the signature counter (WebAuthn §6.1.1). */
    signCount: double(),
    /** Passkey: the transports that the browser reported, separated by commas. */
    transports: text().nullable(),
    /** Passkey: whether the credential is synchronised between devices (backup state). */
    isSynced: boolean(),
  },
  owner: 'userId',
});

export type Authenticator = RowOf<typeof authenticators>;
