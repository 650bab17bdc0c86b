import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/** `totp`: an authenticator app (RFC 6238). `passkey`: a WebAuthn credential. */
export type AuthenticatorKind = 'totp' | 'passkey';

/**
 * A confirmed second factor or passkey of an account. The unique `slot` bounds how many an account can have, without a
 * transaction: an authenticator takes one of ten slots when it is inserted.
 */
export function authenticator(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'Authenticator',
    tableName,
    properties: {
      id: p.text().primary().fieldName(key('id')),
      userId: p.text().index(),
      /** `<userId>:<number>`, with a number from 0 to 9. */
      slot: p.text().unique(),
      kind: p.text().$type<AuthenticatorKind>(),
      name: p.text(),
      createdAt: p.datetime(3),
      lastUsedAt: p.datetime(3).nullable(),
      /** TOTP: the secret, encrypted with the data encryption key for this user and row. */
      secret: p.text().nullable(),
      /** TOTP: the time step of the last accepted code; a code of this step or an earlier one is refused. */
      lastStep: p.double().$type<number>(),
      /** Passkey: the credential id (base64url). The row's own id for other kinds, because the column is unique. */
      credentialId: p.text().unique(),
      /** Passkey: the COSE public key (base64url). */
      publicKey: p.text().nullable(),
      /** Passkey: the random handle under which the authenticator knows the account (base64url). */
      userHandle: p.text().nullable(),
      /** Passkey: the signature counter (WebAuthn §6.1.1). */
      signCount: p.double().$type<number>(),
      /** Passkey: the transports that the browser reported, separated by commas. */
      transports: p.text().nullable(),
      /** Passkey: whether the credential is synchronised between devices (backup state). */
      isSynced: p.boolean(),
    },
  });
}

export type Authenticator = Stored<ReturnType<typeof authenticator>>;
