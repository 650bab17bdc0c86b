import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import {
  assertLengths,
  assertWithin,
  bytesOfBase64,
  type Scheme,
  type StoredHash,
  UnusableHash,
} from './scheme.ts';

/** On libuv's threads. */
const derive = promisify(pbkdf2);

const django = /^pbkdf2_(sha256)\$(\d{1,10})\$([^$]{1,512})\$([A-Za-z0-9+/]+={0,2})$/;
const passlib = /^\$pbkdf2-(sha256|sha512)\$(\d{1,10})\$([A-Za-z0-9./]*)\$([A-Za-z0-9./]+)$/;
const begins = /^(?:pbkdf2_|\$pbkdf2)/;

const iterationBounds = [1, 10_000_000] as const;
const digestLengths: Record<string, number> = { sha256: 32, sha512: 64 };

const familyOf = (digest: string) => `pbkdf2-${digest}`;

/** PBKDF2 (RFC 8018 §5.2), as Django and passlib write it. */
export const pbkdf2Scheme: Scheme = {
  read(text) {
    if (!begins.test(text)) return null;
    const [, digest, count, salt, hash] = django.exec(text) ?? [];
    if (digest !== undefined) return stored(digest, count!, Buffer.from(salt!), bytesOfBase64(hash!));
    const [, theirs, rounds, adapted, checksum] = passlib.exec(text) ?? [];
    if (theirs === undefined) {
      throw new UnusableHash(
        'begins like PBKDF2 of Django (SHA-256) or passlib (SHA-256, SHA-512), and is none',
      );
    }
    return stored(theirs, rounds!, bytesOfAdapted(adapted!), bytesOfAdapted(checksum!));
  },

  spend(family, work) {
    const digest = Object.keys(digestLengths).find(name => familyOf(name) === family);
    return digest ? derive('', '', work, digestLengths[digest]!, digest) : null;
  },
};

/** passlib's base64 has a dot in place of the plus sign, and no padding. */
const bytesOfAdapted = (text: string) => bytesOfBase64(text.replaceAll('.', '+'));

function stored(digest: string, count: string, salt: Buffer, expected: Buffer): StoredHash {
  const iterations = Number(count);
  assertWithin('the number of iterations', iterations, iterationBounds);
  assertLengths(salt, expected);
  // A longer key would take the work once more for each further block.
  if (expected.length > digestLengths[digest]!) throw new UnusableHash('has a digest that is too long');
  return {
    family: familyOf(digest),
    work: iterations,
    verify: async password =>
      timingSafeEqual(await derive(password, salt, iterations, expected.length, digest), expected),
  };
}
