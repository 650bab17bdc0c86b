import { browser, type Credentials } from './browser.ts';
import { GatehouseError } from './error.ts';
import type { Json } from './types.ts';

/** How the browser is asked for a passkey. */
export interface PasskeyRequest {
  /** `conditional` offers passkeys by autofill, in an input whose `autocomplete` has `webauthn`. */
  mediation?: 'conditional' | 'optional' | 'required' | 'silent' | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Has the browser create a passkey.
 * @param options those of `startPasskeySetup`
 * @returns what `confirmPasskeySetup` takes as `credential`
 * @throws {GatehouseError} passkey_cancelled, passkey_known, passkey_unsupported
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
 */
export function getPasskey(options: Json, request: PasskeyRequest = {}): Promise<Json> {
  return ask('get', 'Request', options, request);
}

/** What the exceptions of browsers mean here: the ends of error codes. */
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
    const publicKey = browser.PublicKeyCredential![`parse${kind}OptionsFromJSON`](options);
    const credential = await browser.navigator!.credentials[act]({ publicKey, mediation, signal });
    return (credential as { toJSON(): Json }).toJSON();
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
