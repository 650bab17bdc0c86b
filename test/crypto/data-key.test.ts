import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDataEncryption, UnreadableSecret } from '../../src/crypto/data-key.ts';

const newKey = () => randomBytes(32).toString('base64url');
const row = ['totp', 'user-1', 'row-1'];
const text = 'MZXW6YTBOI: a secret, schön';

// Shows 63b/3.1.4.2#key-protected.
test('a text is read back with the key and the row that it was encrypted for', () => {
  const { encrypt, decrypt } = createDataEncryption(newKey());
  for (const each of [text, '', 'x'.repeat(100_000)]) {
    expect(decrypt(encrypt(each, row), row)).toEqual({ text: each, isOutdated: false });
  }
});

test('the same text is encrypted differently each time, and nothing of it is left', () => {
  const { encrypt } = createDataEncryption(newKey());
  const sealed = Array.from({ length: 100 }, () => encrypt(text, row));
  expect(new Set(sealed.map(each => each.split('.')[1]!.slice(0, 16))).size).toBe(100);
  for (const each of sealed) {
    expect(Buffer.from(each.split('.')[1]!, 'base64url').includes('MZXW6YTBOI')).toBe(false);
  }
});

test.each([
  ['user', ['totp', 'user-2', 'row-1']],
  ['row', ['totp', 'user-1', 'row-2']],
  ['purpose', ['mail', 'user-1', 'row-1']],
  ['boundary between user and row', ['totp', 'user-1row-1', '']],
  ['order', ['totp', 'row-1', 'user-1']],
  ['number of parts', ['totp', 'user-1']],
])('a text that was copied to another %s is not read', (_, other) => {
  const { encrypt, decrypt } = createDataEncryption(newKey());
  expect(() => decrypt(encrypt(text, row), other)).toThrow(UnreadableSecret);
});

test('a text with a single changed bit is not read', () => {
  const { encrypt, decrypt } = createDataEncryption(newKey());
  const [id, body] = encrypt('short', row).split('.') as [string, string];
  const bytes = Buffer.from(body, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    expect(() => decrypt(`${id}.${changed.toString('base64url')}`, row)).toThrow(UnreadableSecret);
  }
});

test('a text that was cut, extended or is none at all is not read', () => {
  const { encrypt, decrypt } = createDataEncryption(newKey());
  const sealed = encrypt(text, row);
  const [id, body] = sealed.split('.') as [string, string];
  const cuts = Array.from({ length: 40 }, (_, i) => `${id}.${body.slice(0, i)}`);
  for (const bad of [
    '',
    '.',
    id,
    `${id}.`,
    body,
    `.${body}`,
    `${id}.${body}AAAA`,
    `x.${body}`,
    text,
    ...cuts,
  ]) {
    expect(() => decrypt(bad, row), bad).toThrow(UnreadableSecret);
  }
});

test('a key of another instance reads nothing, and the error names the setting and not the text', () => {
  const sealed = createDataEncryption(newKey()).encrypt(text, row);
  expect(() => createDataEncryption(newKey(), newKey()).decrypt(sealed, row)).toThrow(
    expect.objectContaining({ message: expect.stringContaining('data_encryption_key_previous') }),
  );
});

test('after a rotation the former key still reads, and what it reads is to be encrypted again', () => {
  const [former, present] = [newKey(), newKey()];
  const sealed = createDataEncryption(former).encrypt(text, row);
  const rotated = createDataEncryption(present, former);
  expect(rotated.decrypt(sealed, row)).toEqual({ text, isOutdated: true });
  const fresh = rotated.encrypt(text, row);
  expect(rotated.decrypt(fresh, row)).toEqual({ text, isOutdated: false });
  expect(createDataEncryption(present).decrypt(fresh, row)).toEqual({ text, isOutdated: false });
  expect(() => createDataEncryption(present).decrypt(sealed, row)).toThrow(UnreadableSecret);
});
