import { defineTable, integer, json, type RowOf, text, time } from '../../tables/define.ts';

/** The state of a signing key: `next` is published and signs nothing, `current` signs, `retired` is published for a while. */
export const keyStates = ['current', 'next', 'retired'] as const;
export type KeyState = (typeof keyStates)[number];

/** How long a retired key stays published, in milliseconds: the longest lifetime of a token, and an hour. */
export const retiredMs = 2 * 3_600_000;

/** A public key as a JSON Web Key (RFC 7517), without the members that say what it is for. */
export type PublicJwk = Readonly<Partial<Record<'kty' | 'crv' | 'x' | 'y' | 'n' | 'e', string>>>;

/** A signing key as it is stored. */
export interface StoredKey {
  /** Its thumbprint (RFC 7638). */
  kid: string;
  state: KeyState;
  /** When it got its state, in milliseconds since 1970, by the clock of the database. */
  since: number;
  publicJwk: PublicJwk;
  /** The private part, encrypted and bound to the id; null once the key is retired. */
  sealed: string | null;
}

/** The signing keys of one algorithm (CONTRACT §16.2): one row, so that each change of the ring is one statement. */
export const signingKeys = defineTable({
  name: 'SigningKeys',
  setting: 'signing_key_collection',
  usualName: 'signing_keys',
  description: '… of the keys that sign access tokens, encrypted',
  columns: {
    /** The algorithm. */
    id: text().key(),
    /** Raised by each change (optimistic locking). */
    version: integer(),
    keys: json<StoredKey[]>(),
    updatedAt: time(),
  },
});

export type SigningKeysRow = RowOf<typeof signingKeys>;
