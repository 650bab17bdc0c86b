import { WebAuthnEmulator } from 'nid-webauthn-emulator';
import { v7 as uuidv7 } from 'uuid';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createDataEncryption } from '../../src/crypto/data-key.ts';
import { createTotp } from '../../src/features/authenticator-apps/apps.ts';
import { fromBase32, hotp, stepAt } from '../../src/features/authenticator-apps/codes.ts';
import { type App, dataEncryptionKey, type Member } from './app.ts';
import { everyFactor } from './every-factor.ts';
import { claimsIn } from './passkeys.ts';
import { codeIn, newPhone } from './people.ts';

/** Every kind of authenticators, and the list of sessions. */
export const strongSettings = { ...everyFactor, enableSessionList: true, dataEncryptionKey };

export const origin = 'http://localhost:8000';

/** As `strongSettings`, with phones and the administration too, at `origin`. */
export const strong: ConfigInput = {
  ...{ ...strongSettings, baseUrl: origin },
  ...{ enableSms2fa: true, enableAdminRouter: true },
};

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

/** Returns the code that an authenticator app shows at this moment, or so many steps later; a page shows a secret with spaces. */
export const codeAt = (secret: string, moment: Date, later = 0) =>
  hotp(fromBase32(secret.replaceAll(' ', '')), stepAt(moment) + later);

/** Returns six digits that no step near this moment has. */
export function wrongCodeAt(secret: string, moment: Date): string {
  const near = [-2, -1, 0, 1, 2].map(later => codeAt(secret, moment, later));
  return ['111111', '222222', '333333', '444444', '555555', '666666'].find(code => !near.includes(code))!;
}

/** The code that an authenticator app with this secret shows now. */
export const codeOf = (app: App, secret: string) => codeAt(secret, app.clock.now());

/** As `codeOf`, of a time step that no code was used in yet. */
export function nextCodeOf(app: App, secret: string): string {
  app.clock.advance(30_000);
  return codeOf(app, secret);
}

/** The session to go on with after a set-up. */
const sessionAfter = (added: { session?: { access_token: string } }, token: string) =>
  added.session?.access_token ?? token;

/** Begins the set-up of an authenticator app as `POST /totp/start` does, without the QR code, which takes longest. */
function beginTotp({ clock, gatehouse }: App, token: string) {
  const { config, repositories } = gatehouse;
  const encryption = createDataEncryption(config.dataEncryptionKey!.reveal());
  const { begin } = createTotp({ config, clock, repositories, encryption });
  return begin(claimsIn(token).sub);
}

/** Sets an authenticator app up; the code of this moment is used up. The first one alone gives recovery codes. */
export async function setUpTotp(app: App, { token }: Pick<SignedIn, 'token'>, name?: string) {
  const { id, secret } = await beginTotp(app, token);
  const added = await post(app, '/totp/confirm', { id, code: codeOf(app, secret), name }, token);
  return {
    secret,
    recoveryCodes: added.recovery_codes as string[],
    id: added.authenticator.id as string,
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

/** Stores a passkey without a private key, for tests that only list and remove it. */
export async function storePasskey(app: App, { id: userId }: Pick<Member, 'id'>, name = 'Passkey') {
  const createdAt = app.clock.now();
  // A millisecond after what was set up before it: factors are listed in the order of their ids.
  const id = uuidv7({ msecs: createdAt.getTime() + 1 });
  await app.gatehouse.repositories.authenticators.add({
    ...{ id, userId, name, createdAt, kind: 'passkey', credentialId: id, publicKey: 'x', userHandle: 'x' },
    ...{ lastUsedAt: null, secret: null, lastStep: 0, signCount: 0, transports: null, isSynced: true },
  });
  return id;
}

/** Gives an account an authenticator app with its recovery codes, and a passkey. */
export async function addFactors(app: App, member: Member): Promise<void> {
  await setUpTotp(app, member);
  await storePasskey(app, member);
}

/** Sets a phone up, with the password where the account has one. */
export async function setUpPhone(app: App, { token, password }: SignedIn): Promise<string> {
  const phone_number = newPhone();
  const given = { phone_number, ...(password !== null && { current_password: password }) };
  const { pending_token } = await post(app, '/phone/start', given, token);
  await post(app, '/phone/confirm', { pending_token, code: codeIn(await app.nextText(phone_number)) }, token);
  return phone_number;
}
