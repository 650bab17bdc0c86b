import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, signUp, startApp } from '../../support/app.ts';
import { type Call, doors, resultOf } from '../../support/doors.ts';
import { ForeignAuthenticator, type ForeignPasskey } from '../../support/foreign-passkey.ts';
import { needed } from '../../support/needed.ts';
import { baseUrl } from '../../support/oidc.ts';
import { claimsIn } from '../../support/passkeys.ts';
import { setUpTotp, strongSettings } from '../../support/strong.ts';

const fido2 = needed('fido2');

/** The COSE algorithms that set-ups ask for. */
const algorithms = [
  ['ES256', -7],
  ['EdDSA', -8],
  ['RS256', -257],
] as const;

describe.skipIf('reason' in fido2)("passkeys of PyPI's fido2", () => {
  let foreign: ForeignAuthenticator;
  let app: App;
  beforeAll(async () => {
    if ('reason' in fido2) throw new Error(fido2.reason);
    foreign = new ForeignAuthenticator(fido2.path);
    app = await startApp({ settings: { baseUrl, ...strongSettings } });
  });
  afterAll(async () => {
    await foreign?.close();
    await app?.close();
  });

  describe.each(doors)('through $name', door => {
    const call: Call = (...args) => door.at(app)(...args);
    const ok = (...args: Parameters<Call>) => resultOf(call(...args));

    async function memberWith(passkey: ForeignPasskey, algorithm: number) {
      const member = await signUp(app);
      const { id, options } = await ok('startPasskeySetup', undefined, member);
      const credential = await passkey.create(options, algorithm);
      const { authenticator } = await ok('confirmPasskeySetup', { id, credential, name: 'Key' }, member);
      expect(authenticator).toMatchObject({ kind: 'passkey', name: 'Key', is_synced: false });
      return member;
    }
    async function signIn(passkey: ForeignPasskey) {
      const { id, options } = await ok('startPasskeyLogin');
      return call('loginWithPasskey', { id, credential: await passkey.get(options) });
    }

    test.each(algorithms)('sign in, and are the second step (%s)', async (_algorithm, number) => {
      const passkey = foreign.passkeyAt(baseUrl);
      const { id: sub, email, password } = await memberWith(passkey, number);
      for (const counter of [2, 3]) {
        const { access_token } = await resultOf(signIn(passkey));
        expect(claimsIn(access_token)).toMatchObject({ sub, amr: ['hwk', 'mfa'] });
        const row = await app.gatehouse.repositories.authenticators.findByCredential(passkey.key!.id);
        expect(row).toMatchObject({ userId: sub, signCount: counter });
      }

      // A passkey alone makes no second step due; an authenticator app does.
      const { access_token: token } = await resultOf(signIn(passkey));
      await setUpTotp(app, { token });
      const { mfa_pending_token, methods } = await ok('login', { email, password });
      expect(methods[0]).toBe('passkey');
      const { id, options } = await ok('startMfaPasskey', { mfa_pending_token });
      const credential = await passkey.get(options);
      const proof = { mfa_pending_token, method: 'passkey', id, credential };
      const { access_token } = await ok('confirmLoginMfa', proof);
      expect(claimsIn(access_token)).toMatchObject({ sub, amr: ['pwd', 'hwk', 'mfa'] });
    });

    test.each(algorithms)('are refused when another key signs (%s)', async (_algorithm, number) => {
      const [passkey, other] = [foreign.passkeyAt(baseUrl), foreign.passkeyAt(baseUrl)];
      await memberWith(passkey, number);
      await memberWith(other, number);
      const own = passkey.key!;
      passkey.key = { ...own, privateKey: other.key!.privateKey };
      expect(await signIn(passkey)).toMatchObject({ status: 400, code: 'passkey_invalid' });
      passkey.key = own;
      await resultOf(signIn(passkey));
    });
  });
});
