import type { AuthenticatorTransport } from '@simplewebauthn/server';
import type { AuthenticationMethod } from '../../crypto/claims.ts';
import { GatehouseError } from '../../errors.ts';
import type { WebAuthn } from './webauthn.ts';

/** COSE algorithms: EdDSA, ES256, RS256. */
export const algorithms = [-8, -7, -257];

/** The longest credential id, in bytes (WebAuthn §7.1 step 25). */
const credentialIdBytes = 1023;

/** The least length of an RSA key (NIST SP 800-131A). */
const leastRsaBits = 2048;

/** Returns what is stored of bytes, and back. */
export const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
export const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));

export const invalid = (cause?: unknown) => new GatehouseError('passkey_invalid', { cause });

/** Returns the proof that a passkey is: a key that may leave its device is not bound to hardware (RFC 8176 §2). */
export const methodOf = (deviceType: 'singleDevice' | 'multiDevice'): AuthenticationMethod =>
  deviceType === 'singleDevice' ? 'hwk' : 'swk';

/** Returns the result of a verification. Whatever is wrong with a credential, also its form, is the same refusal. */
export async function verified<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (cause) {
    throw invalid(cause);
  }
}

/** The demands on the answers of browsers beyond the library's. */
export function createAnswerRules(webauthn: WebAuthn) {
  /** Returns whether a public key is one of RSA below 2,048 bits (CONTRACT §9.3). */
  function isWeak(publicKey: Uint8Array<ArrayBuffer>): boolean {
    const { cose, decodeCredentialPublicKey } = webauthn;
    const key = decodeCredentialPublicKey(publicKey);
    if (!cose.isCOSEPublicKeyRSA(key)) return false;
    const modulus = BigInt(`0x0${Buffer.from(key.get(cose.COSEKEYS.n) ?? []).toString('hex')}`);
    return modulus.toString(2).length < leastRsaBits;
  }

  return {
    /** Returns whether a new credential is named as its answer is, and by an id and a key that are accepted. */
    isAcceptable: (answerId: string, created: { id: string; publicKey: Uint8Array<ArrayBuffer> }): boolean =>
      answerId === created.id &&
      bytesOf(created.id).length <= credentialIdBytes &&
      !isWeak(created.publicKey),

    /**
     * Rejects the answer of a page in a frame of another origin (WebAuthn §7.1 step 10, §7.2 step 13): no page that uses
     * passkeys is meant to be embedded.
     */
    assertNotEmbedded({ clientDataJSON }: { clientDataJSON: string }): void {
      const { crossOrigin, topOrigin } = webauthn.decodeClientDataJSON(clientDataJSON);
      if (crossOrigin || topOrigin !== undefined)
        throw new Error('The page was embedded in one of another origin.');
    },

    /**
     * Rejects an attestation that was not asked for. Browsers leave only self attestation (WebAuthn §5.1.3); another one
     * would have certificates read, and revocation lists fetched, that a client names.
     */
    assertNoAttestation({ attestationObject }: { attestationObject: string }): void {
      const decoded = webauthn.decodeAttestationObject(webauthn.isoBase64URL.toBuffer(attestationObject));
      const isSelf = decoded.get('fmt') === 'packed' && decoded.get('attStmt').get('x5c') === undefined;
      if (decoded.get('fmt') !== 'none' && !isSelf) throw new Error('The credential is attested.');
    },
  };
}

/** WebAuthn §5.8.4, and `cable` of browsers before `hybrid` was its name. */
const transportNames: unknown[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** Returns what is stored of the transports that a client names; nothing verifies them. */
export const knownTransports = (named: unknown): string | null =>
  (Array.isArray(named) && transportNames.filter(name => named.includes(name)).join(',')) || null;

export const transportsOf = (stored: string | null) =>
  stored === null ? {} : { transports: stored.split(',') as AuthenticatorTransport[] };
