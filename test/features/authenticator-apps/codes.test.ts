import { describe, expect, test } from 'vitest';
import {
  base32,
  fromBase32,
  hotp,
  matchingStep,
  newSecret,
  otpauthUrl,
  stepAt,
} from '../../../src/features/authenticator-apps/codes.ts';
import foreign from './totp-codes.json' with { type: 'json' };

const at = (seconds: number) => new Date(seconds * 1000);
/** The secret of both RFCs. */
const published = Buffer.from('12345678901234567890');

describe('a code', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at second %d is the one of RFC 6238 appendix B', (seconds, code) => {
    expect(hotp(published, stepAt(at(seconds)), 8)).toBe(code);
  });

  test('of a counter is the one of RFC 4226 appendix D', () => {
    const codes = Array.from({ length: 10 }, (_, counter) => hotp(published, counter));
    expect(codes).toEqual([
      ...['755224', '287082', '359152', '969429', '338314'],
      ...['254676', '287922', '162583', '399871', '520489'],
    ]);
  });

  // The table is written by scripts/write-totp-codes.py.
  test('is the one that pyotp makes, and is accepted in its step', () => {
    for (const { secret, at: seconds, code } of foreign) {
      expect(hotp(fromBase32(secret), stepAt(at(seconds)))).toBe(code);
      expect(matchingStep(secret, code, at(seconds), 1)).toBe(Math.floor(seconds / 30));
    }
  });
});

describe('a code that was typed', () => {
  const secret = base32(published);
  const now = at(1_234_567_890);
  const code = (step: number) => hotp(published, stepAt(now) + step);

  test.each([-1, 0, 1])('is accepted for the step %d from now', step => {
    expect(matchingStep(secret, code(step), now, 1)).toBe(stepAt(now) + step);
  });

  // Shows asvs/6.5.8, 63b/3.1.4.2#lifetime.
  test.each([-3, -2, 2, 3])('is wrong for the step %d from now', step => {
    expect(matchingStep(secret, code(step), now, 1)).toBeNull();
  });

  test.each([-1, 1])('is wrong for the step %d from now without tolerance', step => {
    expect(matchingStep(secret, code(step), now, 0)).toBeNull();
    expect(matchingStep(secret, code(0), now, 0)).toBe(stepAt(now));
  });

  test('may have spaces anywhere', () => {
    const spaced = ` ${code(0).slice(0, 3)}\u00a0${code(0).slice(3)}\t`;
    expect(matchingStep(secret, spaced, now, 0)).toBe(stepAt(now));
  });

  test.each(['', ' ', '00592', '0005924', '-05924', '005924.0', '００５９２４', '٠٠٥٩٢٤', '005924x'])(
    'is wrong where it is not six digits: %j',
    text => {
      expect(code(0)).toBe('005924');
      expect(matchingStep(secret, text, now, 1)).toBeNull();
    },
  );
});

describe('a secret', () => {
  // Shows asvs/6.5.3, 63b/3.1.4.1#key.
  test('has 20 random bytes and no padding', () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new Set(secrets).size).toBe(100);
  });

  test.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('is written as RFC 4648 §10 writes %j, and read again', (text, encoded) => {
    expect(base32(Buffer.from(text))).toBe(encoded);
    expect(fromBase32(encoded).toString()).toBe(text);
  });

  test('is in the URL with its issuer and its account, whatever letters these have', () => {
    const url = new URL(
      otpauthUrl({ issuer: 'Käse: Brot & Co?', account: 'a+b@example.org', secret: 'MZXW6YTB' }),
    );
    expect([url.protocol, url.host]).toEqual(['otpauth:', 'totp']);
    // Apps split the label at its first colon.
    expect(decodeURIComponent(url.pathname)).toBe('/Käse  Brot & Co?:a+b@example.org');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ secret: 'MZXW6YTB', issuer: 'Käse: Brot & Co?' },
      ...{ algorithm: 'SHA1', digits: '6', period: '30' },
    });
    // Apps show a plus sign as it is written.
    expect(url.search).not.toContain('+');
  });
});
