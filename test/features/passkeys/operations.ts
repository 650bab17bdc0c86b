import {
  type Calls,
  challenged,
  post,
  signedIn,
  startPasskey,
  unverified,
  withPasskey,
  withPhone,
} from '../../doors/site.ts';
import { baseUrl } from '../../support/oidc.ts';
import { authenticatorAdded, mutation, session } from '../../support/operations.ts';

const passkeyChallenge = '{ id options }';

export const operations = {
  startPasskeySetup: mutation('POST /passkeys/start', 'startPasskeySetup', null, passkeyChallenge),
  confirmPasskeySetup: mutation(
    'POST /passkeys/confirm',
    'confirmPasskeySetup',
    'ConfirmPasskeySetupInput!',
    authenticatorAdded,
  ),
  startPasskeyLogin: mutation('POST /login/passkey/start', 'startPasskeyLogin', null, passkeyChallenge),
  loginWithPasskey: mutation('POST /login/passkey', 'loginWithPasskey', 'LoginWithPasskeyInput!', session),
  startMfaPasskey: mutation(
    'POST /login/mfa-passkey/start',
    'startMfaPasskey',
    'StartMfaPasskeyInput!',
    passkeyChallenge,
  ),
};

export const calls: Calls<typeof operations> = {
  startPasskeySetup: { good: signedIn(), bad: unverified },
  confirmPasskeySetup: {
    good: async site => ({ token: site.member.token, input: (await startPasskey(site)).setup }),
    bad: async site => ({
      token: site.member.token,
      input: { ...(await startPasskey(site)).setup, credential: {} },
    }),
  },
  startPasskeyLogin: { good: () => ({}), bad: null },
  loginWithPasskey: {
    good: async site => {
      const { browser } = await withPasskey(site);
      const { id, options } = await post(site, '/login/passkey/start');
      return { input: { id, credential: browser.getJSON(baseUrl, options) } };
    },
    bad: async site => {
      const { id } = await post(site, '/login/passkey/start');
      return { input: { id, credential: { id: 'none' } } };
    },
  },
  startMfaPasskey: {
    good: async site => {
      await withPasskey(site);
      await withPhone(site);
      const { email, password } = site.member;
      const { mfa_pending_token } = await post(site, '/login', { email, password });
      return { input: { mfa_pending_token } };
    },
    bad: async site => {
      const { mfa_pending_token } = await challenged(site);
      return { input: { mfa_pending_token } };
    },
  },
};

export const forAnyone: (keyof typeof operations)[] = [
  'startPasskeyLogin',
  'loginWithPasskey',
  'startMfaPasskey',
];
