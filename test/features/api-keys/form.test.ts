import { expect, test } from 'vitest';
import { hintOf, isKey, looksLikeKey, newKey } from '../../../src/features/api-keys/key-form.ts';

const vector = 'svc_key_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0fCNGO';

test('a key is its bytes in base 62, and a checksum of all before it', () => {
  expect(newKey('svc', Buffer.from(Array.from({ length: 32 }, (_, byte) => byte)))).toBe(vector);
  expect(newKey('acme', Buffer.alloc(32))).toMatch(/^acme_key_0{43}[0-9A-Za-z]{6}$/);
  expect(hintOf(vector)).toBe('CNGO');
});

test('new keys differ, and each has its checksum', () => {
  const keys = Array.from({ length: 50 }, () => newKey('svc'));
  expect(new Set(keys).size).toBe(50);
  for (const key of keys) expect([key, key.length, isKey(key)]).toEqual([key, 57, true]);
});

test('a wrong character anywhere is told by the checksum', () => {
  for (let at = 0; at < vector.length; at++) {
    const other = vector[at] === 'x' ? 'y' : 'x';
    expect(isKey(vector.slice(0, at) + other + vector.slice(at + 1))).toBe(false);
  }
  for (const text of ['', 'svc_key_', vector.slice(1), `${vector}0`, ` ${vector}`, vector.toUpperCase()])
    expect(isKey(text)).toBe(false);
});

test.each([
  [vector, true],
  ['acme2_key_nothing', true],
  ['_key_003', false],
  ['Svc_key_003', false],
  ['eyJhbGciOiJIUzI1NiJ9.e30.x_key_y', false],
])('%s is meant as a key: %s', (text, expected) => expect(looksLikeKey(text)).toBe(expected));
