import { fromBase64url, toBase64url } from './base64url.ts';
import { browser, type Credentials } from './browser.ts';
import { GatehouseError } from './error.ts';
import { mapFields } from './names.ts';
import type { Json } from './types.ts';

/** How the browser is asked for a passkey. */
export interface PasskeyRequest {
  /** `conditional` offers passkeys by autofill, in an input whose `autocomplete` has `webauthn`. */
  mediation?: 'conditional' | 'optional' | 'required' | 'silent' | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Returns whether this browser can use passkeys on this page: it does only on https and on loopback.
 * @example button.hidden = !hasPasskeys();
 */
export const hasPasskeys = (): boolean => typeof browser.PublicKeyCredential === 'function';

/**
 * Returns whether the browser can offer passkeys by autofill, where the address is typed in (`mediation: 'conditional'`).
 * @example if (await offersPasskeys()) await client.signInWithPasskey({ mediation: 'conditional' });
 */
export const offersPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await browser.PublicKeyCredential!.isConditionalMediationAvailable?.()) === true;

/**
 * Has the browser create a passkey.
 * @param options those of `startPasskeySetup`
 * @returns what `confirmPasskeySetup` takes as `credential`
 * @throws {GatehouseError} passkey_cancelled, passkey_known, passkey_unsupported
 * @example
 * const { id, options } = await client.startPasskeySetup();
 * await client.confirmPasskeySetup({ id, credential: await createPasskey(options), name: 'Laptop' });
 */
export function createPasskey(
  options: Json,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<Json> {
  return ask('create', 'Creation', options, { signal });
}

/**
 * Has the browser use a passkey.
 * @param options those of `startPasskeyLogin` or `startMfaPasskey`
 * @returns what `loginWithPasskey`, `reauthenticate` and `confirmLoginMfa` take as `credential`
 * @throws {GatehouseError} passkey_cancelled, passkey_unsupported
 * @example
 * const { id, options } = await client.startMfaPasskey({ mfaPendingToken });
 * await client.confirmLoginMfa({ mfaPendingToken, method: 'passkey', id, credential: await getPasskey(options) });
 */
export function getPasskey(options: Json, request: PasskeyRequest = {}): Promise<Json> {
  return ask('get', 'Request', options, request);
}

/** The meaning of the exceptions of browsers: the ends of error codes. */
const meanings: Partial<Record<string, 'cancelled' | 'known'>> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'known',
};

async function ask(
  act: keyof Credentials,
  kind: 'Creation' | 'Request',
  options: Json,
  { mediation, signal }: PasskeyRequest,
): Promise<Json> {
  try {
    const publicKey =
      browser.PublicKeyCredential![`parse${kind}OptionsFromJSON`]?.(options) ?? withBytes(options);
    return jsonOf(await browser.navigator!.credentials[act]({ publicKey, mediation, signal }));
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new GatehouseError(
      `passkey_${meanings[(cause as Error).name] ?? 'unsupported'}`,
      String(cause),
      {},
      cause,
    );
  }
}

/** Returns options with bytes where their JSON has text, for a browser that does not convert them itself. */
const withBytes = (options: Json): Json =>
  mapFields(options, ([name, value]) => [[name, toMember(name, value)]]);

function toMember(name: string, value: unknown): unknown {
  if (name === 'challenge' || name === 'id') return fromBase64url(value as string);
  if (name === 'user') return withBytes(value as Json);
  return /Credentials$/.test(name) ? (value as Json[]).map(withBytes) : value;
}

/** The parts of a credential that are bytes, of a new passkey and of a used one. */
const byteParts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];

/** A credential of a browser (WebAuthn Level 2 §5.1). */
interface Credential {
  toJSON?(): Json;
  id: string;
  type: string;
  authenticatorAttachment?: string | null;
  response: Record<string, ArrayBuffer | null | undefined> & { getTransports?(): string[] };
  getClientExtensionResults(): Json;
}

/** Returns the JSON of a credential, also in a browser that does not write it itself. */
function jsonOf(made: unknown): Json {
  const credential = made as Credential;
  if (credential.toJSON) return credential.toJSON();
  const { id, type, authenticatorAttachment, response } = credential;
  const parts = byteParts.flatMap(name => {
    const bytes = response[name];
    return bytes ? [[name, toBase64url(new Uint8Array(bytes))]] : [];
  });
  return {
    ...{ id, rawId: id, type, authenticatorAttachment: authenticatorAttachment ?? undefined },
    clientExtensionResults: credential.getClientExtensionResults(),
    response: { ...Object.fromEntries(parts), transports: response.getTransports?.() },
  };
}
