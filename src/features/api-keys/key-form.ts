import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 32;
const secretLength = 43;
const checksumLength = 6;

/** Returns a number in base 62, filled with zeros on the left. */
function base62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}

const checksumOf = (text: string) => base62(BigInt(crc32(text)), checksumLength);

/** Returns a new key: 256 random bits, and a checksum by which scanners and typing errors are told. */
export function newKey(prefix: string, bytes: Buffer = randomBytes(secretBytes)): string {
  const text = `${prefix}_key_${base62(BigInt(`0x${bytes.toString('hex')}`), secretLength)}`;
  return text + checksumOf(text);
}

/** Returns whether a text is meant as a key, and not as a token of a session. */
export const looksLikeKey = (text: string): boolean => /^[a-z][a-z0-9]{1,11}_key_/.test(text);

/** Returns whether a text has the form of a key, whichever its prefix is, and the right checksum. */
export function isKey(text: string): boolean {
  if (!/^[a-z][a-z0-9]{1,11}_key_[0-9A-Za-z]{49}$/.test(text)) return false;
  return checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** Returns what is stored of a key: a random one of 256 bits needs neither a salt nor a slow hash. */
export const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('hex');

export const hintOf = (key: string): string => key.slice(-4);
