import { z } from 'zod';
import { defineFeature } from '../../feature.ts';
import { isInstalled } from '../../optional.ts';
import { factor } from './factor.ts';
import { derive, type PasskeySettings, problemsOf, settings, warningsOf } from './settings.ts';

const library = { name: '@simplewebauthn/server', purpose: 'enable_passkeys' };

/** Passkeys (WebAuthn): sign-in without a password, and a second factor (CONTRACT §9.3). */
export const passkeys = defineFeature({
  settings,
  derive,
  isOn: ({ enablePasskeys }: PasskeySettings) => enablePasskeys,
  problems: problemsOf,
  warnings: warningsOf,
  factor,
  package: library,
  limits: {
    login_passkey_start: { counts: 'POST /login/passkey/start', usual: '60/minute;600/hour' },
    login_passkey: { counts: 'POST /login/passkey', usual: '30/minute;300/hour' },
    login_mfa_passkey_start: { counts: 'POST /login/mfa-passkey/start', usual: '30/minute;300/hour' },
    passkey_confirm: { counts: 'POST /passkeys/confirm', usual: '30/minute;300/hour' },
  },
  shown: { passkeys: z.boolean().describe('Whether passkeys can be set up and used to sign in.') },
  whenOff: { name: 'passkeys', text: 'are off (enable_passkeys)', of: 'settings' },
  asked: { enable_passkeys: { label: 'Passkeys', byDefault: true } },
  development: () => (isInstalled(library.name) ? { enablePasskeys: true } : {}),
  sample: { enablePasskeys: true },
  load: () => import('./open.ts'),
});
