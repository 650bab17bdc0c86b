import { v7 as uuidv7 } from 'uuid';
import { fromBase32, hotp, stepAt } from '../../src/features/authenticator-apps/codes.ts';
import type { App, Member } from './app.ts';
import { everyFactor } from './every-factor.ts';

/** Everything of strong sign-in that a flag switches on. */
export const strongSettings = {
  ...everyFactor,
  enableSessionList: true,
  dataEncryptionKey: 'A'.repeat(43),
};

/** The code that an authenticator app with this secret shows now. */
export const codeOf = ({ clock }: App, secret: string) => hotp(fromBase32(secret), stepAt(clock.now()));

/** Sets an authenticator app up. @throws when that fails */
export async function addApp(app: App, { token }: Pick<Member, 'token'>, name = 'Phone') {
  const started = await app.rest('POST', '/totp/start', {}, { token });
  const { id, secret } = started.body;
  const code = codeOf(app, secret);
  const { status, body } = await app.rest('POST', '/totp/confirm', { id, code, name }, { token });
  if (status !== 200) throw new Error(`The set-up failed: ${JSON.stringify(body)}`);
  return {
    secret: secret as string,
    recoveryCodes: body.recovery_codes as string[] | undefined,
    token: (body.session?.access_token ?? token) as string,
  };
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
  await addApp(app, member);
  await storePasskey(app, member);
}
