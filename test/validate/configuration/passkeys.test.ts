import { expect, test } from 'vitest';
import { checkPasskeys } from '../../../src/validate/configuration/passkeys.ts';
import { load } from '../../config/support.ts';

const checked = (origins: string[], enablePasskeys = true) =>
  checkPasskeys(
    load({
      arguments: {
        ...{ enablePasskeys, baseUrl: 'https://accounts.example.org' },
        passkeys: { rpId: 'example.org', origins },
      },
    }).config,
  );

test('the domain of passkeys and the origins of their pages are reported', () => {
  expect(checked([])).toEqual(['ok', 'belong to example.org, on the pages of https://accounts.example.org']);
  expect(checked(['https://example.org'])).toEqual([
    'ok',
    'belong to example.org, on the pages of https://accounts.example.org, https://example.org',
  ]);
});

test('an origin of another domain deserves a look, because browsers ask that domain', () => {
  for (const origin of ['https://example.com', 'https://badexample.org']) {
    expect(checked(['https://app.example.org', origin])).toEqual([
      'warn',
      `belong to example.org: browsers use them on ${origin} only if https://example.org/.well-known/webauthn names it`,
    ]);
  }
});

test('passkeys that are off are left out', () => {
  expect(checked([], false)).toEqual(['skip', 'are off (enable_passkeys)']);
});
