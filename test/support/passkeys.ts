import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import type { Reply } from './app.ts';

/** The false statements of an authenticator. */
export interface Claims {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  /** UP 1, UV 4, BE 8, BS 16 (WebAuthn §6.1). */
  flags?: number;
  counter?: number;
  /** Null leaves it out. */
  userHandle?: string | null;
  /** Added to the client data. */
  clientData?: object;
  /** Another key signs. */
  key?: KeyObject;
}

/** At a registration. */
export interface NewClaims extends Claims {
  credentialId?: Uint8Array;
  attestation?: Buffer;
  transports?: unknown;
  /** The COSE algorithm that the public key names. */
  algorithm?: number;
  /** The public key, as COSE has it, in place of its own. */
  publicKey?: Buffer;
}

/** Returns a new RSA public key of this many bits, as COSE has it. */
export function rsaCoseKey(modulusLength: number): Buffer {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength });
  const { n, e } = publicKey.export({ format: 'jwk' });
  return cborMap(
    ...[cborInt(1), cborInt(3), cborInt(3), cborInt(-257)],
    ...[cborInt(-1), cborBytes(Buffer.from(n!, 'base64url'))],
    ...[cborInt(-2), cborBytes(Buffer.from(e!, 'base64url'))],
  );
}

// biome-ignore lint/suspicious/noExplicitAny: options and credentials are JSON whose parts tests replace
type Json = any;

export const present = 1;
export const verified = 4;
export const eligible = 8;
export const backedUp = 16;
const attested = 64;

const text = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

/** The head of a CBOR item (RFC 8949 §3). */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
const cborBytes = (bytes: Uint8Array) => Buffer.concat([head(2, bytes.length), bytes]);
const cborText = (word: string) => Buffer.concat([head(3, word.length), Buffer.from(word)]);
const cborInt = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value));
/** A map, of keys and values in turn. */
const cborMap = (...items: Buffer[]) => Buffer.concat([head(5, items.length / 2), ...items]);
export const cbor = { bytes: cborBytes, text: cborText, int: cborInt, map: cborMap };

const noAttestation = Buffer.concat([cborText('none'), cborText('attStmt'), cborMap()]);

/** A passkey that a file keeps. */
export interface KeptPasskey {
  origin: string;
  id: string;
  key: JsonWebKey;
  userHandle: string;
  rpId: string;
}

/** An ES256 credential that answers whatever a test has it answer. It counts only when it is told to. */
export class Passkey {
  readonly credentialId: Uint8Array;
  readonly origin: string;
  userHandle = '';
  rpId = '';
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };

  constructor(
    origin: string,
    credentialId: Uint8Array = randomBytes(32),
    keys = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ) {
    this.origin = origin;
    this.credentialId = credentialId;
    this.#keys = keys;
  }

  /** What `toJSON` returned, as a passkey again. */
  static of({ origin, id, key, userHandle, rpId }: KeptPasskey): Passkey {
    const privateKey = createPrivateKey({ key, format: 'jwk' });
    const keys = { privateKey, publicKey: createPublicKey(privateKey) };
    const passkey = new Passkey(origin, Buffer.from(id, 'base64url'), keys);
    return Object.assign(passkey, { userHandle, rpId });
  }

  toJSON(): KeptPasskey {
    const { origin, id, userHandle, rpId } = this;
    return { origin, id, key: this.#keys.privateKey.export({ format: 'jwk' }), userHandle, rpId };
  }

  get id(): string {
    return text(this.credentialId);
  }

  coseKey(algorithm: number): Buffer {
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    return cborMap(
      ...[cborInt(1), cborInt(2), cborInt(3), cborInt(algorithm), cborInt(-1), cborInt(1)],
      ...[cborInt(-2), cborBytes(Buffer.from(x!, 'base64url'))],
      ...[cborInt(-3), cborBytes(Buffer.from(y!, 'base64url'))],
    );
  }

  #clientData(type: string, challenge: string, claims: Claims): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: claims.type ?? type,
        challenge: claims.challenge ?? challenge,
        origin: claims.origin ?? this.origin,
        crossOrigin: false,
        ...claims.clientData,
      }),
    );
  }

  #authenticatorData({ rpId = this.rpId, counter = 0 }: Claims, flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
  }

  /** Answers creation options (RegistrationResponseJSON). */
  create(options: Json, claims: NewClaims = {}): Json {
    this.userHandle = options.user.id;
    this.rpId = options.rp.id;
    const { credentialId = this.credentialId, flags = present | verified } = claims;
    const length = Buffer.from([credentialId.length >> 8, credentialId.length & 255]);
    const key = claims.publicKey ?? this.coseKey(claims.algorithm ?? -7);
    const authData = Buffer.concat([
      this.#authenticatorData(claims, flags | attested),
      ...[Buffer.alloc(16), length, credentialId, key],
    ]);
    const clientData = this.#clientData('webauthn.create', options.challenge, claims);
    const { attestation = noAttestation } = claims;
    const attestationObject = Buffer.concat([
      ...[head(5, 3), cborText('fmt'), attestation, cborText('authData'), cborBytes(authData)],
    ]);
    return {
      id: text(credentialId),
      rawId: text(credentialId),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: text(clientData),
        attestationObject: text(attestationObject),
        transports: 'transports' in claims ? claims.transports : ['internal'],
      },
    };
  }

  /** Answers request options (AuthenticationResponseJSON). */
  get(options: Json, claims: Claims = {}): Json {
    const { flags = present | verified, userHandle = this.userHandle, key = this.#keys.privateKey } = claims;
    const authData = this.#authenticatorData(claims, flags);
    const clientData = this.#clientData('webauthn.get', options.challenge, claims);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), key);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: text(clientData),
        authenticatorData: text(authData),
        signature: text(signature),
        ...(userHandle !== null && { userHandle }),
      },
    };
  }
}

/** The claims of a session token, unverified. */
export const claimsIn = (token: string) => JSON.parse(String(Buffer.from(token.split('.')[1]!, 'base64url')));

/** How a request was answered, without what differs each time. */
export const shape = ({ status, body }: Reply) => ({ status, body: { ...body, instance: undefined } });
