import { WebAuthnEmulator } from 'nid-webauthn-emulator';
import type { ConfigInput } from '../../src/config/schema.ts';
import { fromBase32, hotp, stepAt } from '../../src/features/authenticator-apps/codes.ts';
import type { App } from './app.ts';
import { everyFactor } from './every-factor.ts';
import { codeIn, newPhone } from './people.ts';
import { beginTotp } from './totp.ts';

/** A configuration with strong sign-in and everything that belongs to it. */
export const strong: ConfigInput = {
  baseUrl: 'http://localhost:8000',
  dataEncryptionKey: 'A'.repeat(43),
  ...everyFactor,
  enableSms2fa: true,
  enableSessionList: true,
  enableAdminRouter: true,
};

export const origin = 'http://localhost:8000';

/** Somebody with a session and a password. */
interface SignedIn {
  token: string;
  password: string | null;
}

async function post(app: App, path: string, body: object, token?: string) {
  const { status, body: answer } = await app.rest('POST', path, body, token === undefined ? {} : { token });
  if (status >= 400) throw new Error(`POST ${path} failed: ${JSON.stringify(answer)}`);
  return answer;
}

/** The code that an authenticator app with this secret shows now. */
export const codeOf = (app: App, secret: string) => hotp(fromBase32(secret), stepAt(app.clock.now()));

/** As `codeOf`, of a time step that no code was used in yet. */
export function nextCodeOf(app: App, secret: string): string {
  app.clock.advance(30_000);
  return codeOf(app, secret);
}

/** The session to go on with after a set-up. */
const sessionAfter = (added: { session?: { access_token: string } }, token: string) =>
  added.session?.access_token ?? token;

/** Sets an authenticator app up. */
export async function setUpTotp(app: App, { token }: Pick<SignedIn, 'token'>) {
  const { id, secret } = await beginTotp(app, { token });
  const added = await post(app, '/totp/confirm', { id, code: codeOf(app, secret) }, token);
  const { recovery_codes, authenticator } = added;
  return {
    secret,
    recoveryCodes: (recovery_codes ?? []) as string[],
    id: authenticator.id as string,
    token: sessionAfter(added, token),
  };
}

/** Creates a passkey, in a device of its own, at the site of the app. */
export async function setUpPasskey(app: App, { token }: Pick<SignedIn, 'token'>, site = origin) {
  const device = new WebAuthnEmulator();
  const { id, options } = await post(app, '/passkeys/start', {}, token);
  const added = await post(
    app,
    '/passkeys/confirm',
    { id, credential: device.createJSON(site, options) },
    token,
  );
  return { device, id: added.authenticator.id as string, token: sessionAfter(added, token) };
}

/** The answer of a device to a challenge. */
export const answerOf = (device: WebAuthnEmulator, { id, options }: { id: string; options: object }) => ({
  id,
  credential: device.getJSON(origin, options as Parameters<WebAuthnEmulator['getJSON']>[1]),
});

/** Signs in with a passkey alone, and returns what a request takes for it. */
export async function passkeyProof(app: App, device: WebAuthnEmulator) {
  return answerOf(device, await post(app, '/login/passkey/start', {}));
}

/** Sets a phone up, with the password where the account has one. */
export async function setUpPhone(app: App, { token, password }: SignedIn): Promise<string> {
  const phone_number = newPhone();
  const given = { phone_number, ...(password !== null && { current_password: password }) };
  const { pending_token } = await post(app, '/phone/start', given, token);
  await post(app, '/phone/confirm', { pending_token, code: codeIn(await app.nextText(phone_number)) }, token);
  return phone_number;
}
