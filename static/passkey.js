// Passkeys (WebAuthn Level 3): creating one and using one. Browsers that cannot convert the JSON of the API themselves get
// it converted here.
import { fromBase64url, toBase64url } from './base64url.js';
import { Problem } from './client.js';

/** @import { ProblemCode } from './types.d.ts' */
/** @typedef {Record<string, any>} Json */

/** Returns whether this browser knows passkeys; it does only on https and on loopback. */
export const hasPasskeys = () => typeof PublicKeyCredential === 'function';

/** Returns whether the browser can offer passkeys where the address is typed in. */
export const offersByAutofill = async () =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;

/**
 * Creates a passkey with the options of the API, and returns it as the API takes it.
 * @param {Json} options
 * @returns {Promise<Json>}
 * @throws {Problem}
 */
export async function createPasskey(options) {
  const publicKey =
    PublicKeyCredential.parseCreationOptionsFromJSON?.(/** @type {any} */ (options)) ??
    creationOptions(options);
  return jsonOf(await navigator.credentials.create({ publicKey }).catch(refuse));
}

/**
 * Asks for a passkey with the options of the API, and returns its answer as the API takes it. `more` says how it is asked
 * for, and until when.
 * @param {Json} options
 * @param {{ mediation?: CredentialMediationRequirement, signal?: AbortSignal }} [more]
 * @returns {Promise<Json>}
 * @throws {Problem}
 */
export async function usePasskey(options, more = {}) {
  const publicKey =
    PublicKeyCredential.parseRequestOptionsFromJSON?.(/** @type {any} */ (options)) ??
    requestOptions(options);
  return jsonOf(await navigator.credentials.get({ publicKey, ...more }).catch(refuse));
}

/** What the exceptions of browsers mean here. @type {Record<string, ProblemCode>} */
const meanings = {
  NotAllowedError: 'passkey_cancelled',
  AbortError: 'passkey_cancelled',
  InvalidStateError: 'passkey_known',
  NotSupportedError: 'passkey_unsupported',
  ConstraintError: 'passkey_unsupported',
};

/** @param {unknown} error @returns {never} */
function refuse(error) {
  const name = error instanceof DOMException ? error.name : '';
  if (!Object.hasOwn(meanings, name)) throw error;
  throw new Problem({ code: meanings[name] ?? 'passkey_cancelled', detail: String(error) });
}

/** @param {Json} options @returns {PublicKeyCredentialCreationOptions} */
const creationOptions = ({ challenge, user, excludeCredentials = [], ...rest }) =>
  /** @type {any} */ ({
    ...rest,
    challenge: fromBase64url(challenge),
    user: { ...user, id: fromBase64url(user.id) },
    excludeCredentials: excludeCredentials.map(withBytes),
  });

/** @param {Json} options @returns {PublicKeyCredentialRequestOptions} */
const requestOptions = ({ challenge, allowCredentials = [], ...rest }) => ({
  ...rest,
  challenge: fromBase64url(challenge),
  allowCredentials: allowCredentials.map(withBytes),
});

/** @param {Json} descriptor */
const withBytes = descriptor => ({ .../** @type {any} */ (descriptor), id: fromBase64url(descriptor.id) });

/** @param {Credential | null} credential @returns {Json} */
function jsonOf(credential) {
  if (!(credential instanceof PublicKeyCredential))
    throw new Problem({ code: 'passkey_cancelled', detail: 'No passkey was chosen.' });
  if (typeof credential.toJSON === 'function') return credential.toJSON();
  const { id, type, authenticatorAttachment, response } = credential;
  const isNew = response instanceof AuthenticatorAttestationResponse;
  /** @type {Record<string, ArrayBuffer | null>} */
  const parts = isNew
    ? { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject }
    : partsOfAnswer(/** @type {AuthenticatorAssertionResponse} */ (response));
  const texts = Object.entries(parts).flatMap(([name, bytes]) =>
    bytes ? [[name, toBase64url(new Uint8Array(bytes))]] : [],
  );
  const transports = isNew && response.getTransports ? { transports: response.getTransports() } : {};
  return {
    ...{ id, rawId: id, type, clientExtensionResults: credential.getClientExtensionResults() },
    ...(authenticatorAttachment && { authenticatorAttachment }),
    response: { ...Object.fromEntries(texts), ...transports },
  };
}

/** @param {AuthenticatorAssertionResponse} response */
const partsOfAnswer = ({ clientDataJSON, authenticatorData, signature, userHandle }) => ({
  ...{ clientDataJSON, authenticatorData, signature, userHandle },
});
