import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, dataEncryptionKey, startApp } from '../support/app.ts';
import { everyFactor } from '../support/every-factor.ts';

// Texts that people must read before they rely on a factor (NIST SP 800-63B-4 §3.2.1 and §3.2.9).

const settings: ConfigInput = {
  ...{ enableUiRouter: true, enableSms2fa: true, dataEncryptionKey, baseUrl: 'http://localhost:8000' },
};
const apps: App[] = [];
let accountPage: string;
let withoutOthers: string;
beforeAll(async () => {
  const page = async (more: ConfigInput) => {
    const app = await startApp({ settings: { ...settings, ...more } });
    apps.push(app);
    return (await fetch(`${app.origin}/account/me`)).text();
  };
  accountPage = await page(everyFactor);
  withoutOthers = await page({});
});
afterAll(async () => {
  for (const app of apps) await app.close();
});

// Shows asvs/6.6.1, 63b/3.2.9#notice.
test('the panel of the phone names the risk, and the stronger ways that are there', () => {
  const risk =
    'Text messages can be intercepted, and a number can be moved to the SIM card of somebody else.';
  expect(accountPage).toContain(`${risk} A passkey or an authenticator app protects you better.`);
  expect(withoutOthers).toContain(risk);
  expect(withoutOthers).not.toContain('protects you better');
});

// Shows 63b/3.2.1#instructions.
test('the panel of recovery codes says how factors are kept and what to do when one is lost', () => {
  expect(accountPage).toContain('Have two ways of signing in on different devices');
  expect(accountPage).toContain('remove the lost device above, and make new codes.');
});
