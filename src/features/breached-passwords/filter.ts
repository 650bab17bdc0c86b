import { createHash, hash } from 'node:crypto';

/**
 * A Bloom filter over SHA-1 digests: it knows every password that was added, and takes a stated share of all others for
 * known, too. A digest is uniformly random, so its first twelve bytes serve as the two hashes from which every bit of an
 * entry follows (Kirsch and Mitzenmacher, "Less Hashing, Same Performance").
 */
export interface PasswordFilter {
  /** How many passwords it was made of. */
  readonly entries: number;
  /** The expected share of passwords that are not in it and are taken for known. */
  readonly falsePositives: number;
  has(key: FilterKey): boolean;
}

/** The first twelve bytes of a digest, as two numbers of 48 bits. */
export interface FilterKey {
  first: number;
  second: number;
}

/** How large a filter is. */
export interface FilterShape {
  /** A multiple of eight. */
  bits: number;
  /** How many bits each entry sets. */
  hashes: number;
  entries: number;
}

/** The largest number of bits per entry; with it, one password in 10^14 is taken for known. */
const mostHashes = 48;

/** The SHA-1 of a password as range services publish it: 40 digits, in capitals. */
export const sha1Of = (password: string) => hash('sha1', password, 'hex').toUpperCase();

/** Returns the key of a digest of 40 hexadecimal digits; more digits than the first 24 may be missing. */
export const keyOf = (digest: string): FilterKey => ({
  first: Number.parseInt(digest.slice(0, 12), 16),
  second: Number.parseInt(digest.slice(12, 24), 16),
});

/** Returns the shape of the smallest filter of so many entries with this share of false positives. */
export function shapeFor(entries: number, falsePositives: number): FilterShape {
  const perEntry = -Math.log(falsePositives) / Math.LN2 ** 2;
  const bits = Math.max(64, Math.ceil((entries * perEntry) / 8) * 8);
  const hashes = Math.min(mostHashes, Math.max(1, Math.round(perEntry * Math.LN2)));
  return { bits, hashes, entries };
}

/** Returns the expected share of false positives of a filter. */
export const falsePositivesOf = ({ bits, hashes, entries }: FilterShape) =>
  (1 - Math.exp((-hashes * entries) / bits)) ** hashes;

/** Calls `each` with the byte and the bit of every position of an entry, until it returns false. */
function positions(
  { first, second }: FilterKey,
  { bits, hashes }: FilterShape,
  each: (byte: number, mask: number) => boolean,
): boolean {
  const step = second % bits;
  let at = first % bits;
  for (let i = 0; i < hashes; i++) {
    if (!each(Math.floor(at / 8), 1 << (at % 8))) return false;
    at += step + i;
    at %= bits;
  }
  return true;
}

/** Adds an entry to the bits of a filter. */
export function addTo(content: Uint8Array, shape: FilterShape, key: FilterKey): void {
  positions(key, shape, (byte, mask) => {
    content[byte]! |= mask;
    return true;
  });
}

/** Returns the filter over these bits. */
export const filterOver = (content: Uint8Array, shape: FilterShape): PasswordFilter => ({
  entries: shape.entries,
  falsePositives: falsePositivesOf(shape),
  has: key => positions(key, shape, (byte, mask) => (content[byte]! & mask) !== 0),
});

/** The beginning of a filter file; the rest are its bits. */
export const headerBytes = 64;
const magic = 'GHPWFLTR';
const version = 1;
/** The offset of the checksum, in the header: what stands before it is checked by it, too. */
const checksumAt = 32;

/** Returns a hash to be fed with the bits of a filter; its digest is the checksum. */
export function startChecksum(shape: FilterShape) {
  return createHash('sha256').update(fixedPart(shape));
}

function fixedPart({ bits, hashes, entries }: FilterShape): Buffer {
  const part = Buffer.alloc(checksumAt);
  part.write(magic, 'latin1');
  part.writeUInt16BE(version, 8);
  part.writeUInt16BE(hashes, 10);
  part.writeBigUInt64BE(BigInt(bits), 16);
  part.writeBigUInt64BE(BigInt(entries), 24);
  return part;
}

/** Returns the header of a filter file: magic, version, shape, and the checksum of these and of the bits (SHA-256). */
export const headerOf = (shape: FilterShape, checksum: Buffer) =>
  Buffer.concat([fixedPart(shape), checksum], headerBytes);

/** Returns what a header says. @throws {Error} that continues the name of the file */
export function readHeader(header: Buffer): { shape: FilterShape; checksum: Buffer } {
  if (header.length < headerBytes || header.toString('latin1', 0, 8) !== magic) {
    throw new Error('is no filter file: svc passwords build-filter makes one');
  }
  const found = header.readUInt16BE(8);
  if (found !== version) {
    throw new Error(`has the format ${found}, and this version reads ${version}: build it again`);
  }
  const shape = {
    hashes: header.readUInt16BE(10),
    bits: Number(header.readBigUInt64BE(16)),
    entries: Number(header.readBigUInt64BE(24)),
  };
  if (shape.hashes < 1 || shape.hashes > mostHashes || shape.bits < 1 || shape.bits % 8 !== 0) {
    throw new Error('is damaged: build it again');
  }
  return { shape, checksum: header.subarray(checksumAt, headerBytes) };
}
