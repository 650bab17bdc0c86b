import { expect, test } from 'vitest';
import { checkFeatureSettings } from '../../../src/validate/configuration/features.ts';
import { load } from '../../config/support.ts';

async function checked(origins: string[], enablePasskeys = true) {
  const { config } = load({
    arguments: {
      ...{ enablePasskeys, baseUrl: 'https://accounts.example.org' },
      passkeys: { rpId: 'example.org', origins },
    },
  });
  const [finding] = (await checkFeatureSettings(config)).passkeys ?? [];
  return finding;
}

test('the domain of passkeys and the origins of their pages are reported', async () => {
  expect(await checked([])).toEqual([
    'ok',
    'belong to example.org, on the pages of https://accounts.example.org',
  ]);
  expect(await checked(['https://example.org'])).toEqual([
    'ok',
    'belong to example.org, on the pages of https://accounts.example.org, https://example.org',
  ]);
});

test('an origin of another domain deserves a look, because browsers ask that domain', async () => {
  for (const origin of ['https://example.com', 'https://badexample.org']) {
    expect(await checked(['https://app.example.org', origin])).toEqual([
      'warn',
      `belong to example.org: browsers use them on ${origin} only if https://example.org/.well-known/webauthn names it`,
    ]);
  }
});

test('passkeys that are off are left out', async () => {
  expect(await checked([], false)).toEqual(['skip', 'are off (enable_passkeys)']);
});
