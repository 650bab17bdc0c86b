import argon2 from 'argon2';
import {
  assertLengths,
  assertWithin,
  bytesOfBase64,
  mostMemory,
  type Scheme,
  UnusableHash,
} from './scheme.ts';

/** The cost of a hash: memory in KiB, passes over it, and lanes, one unless it says otherwise. */
export interface HashCost {
  memoryCost: number;
  timeCost: number;
  parallelism?: number;
}

/** Hashes with Argon2id, and checks every variant. Each implementation verifies the hashes of every other. */
export interface Argon2 {
  readonly package: string;
  hash(password: string, cost: HashCost): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/** The implementation that needs no optional package. */
export const portableArgon2: Argon2 = {
  package: 'argon2',
  hash: (password, cost) => argon2.hash(password, { parallelism: 1, ...cost, type: argon2.argon2id }),
  verify: (hash, password) => argon2.verify(hash, password),
};

/**
 * Returns the optional peer `@node-rs/argon2` where it is installed and has a build for this machine, because it takes
 * half the time for the same hashes; else `argon2`. Both work on libuv's threads.
 */
export async function openArgon2(): Promise<Argon2> {
  try {
    const { default: rust } = await import('@node-rs/argon2');
    return {
      package: '@node-rs/argon2',
      // 2 is Argon2id; the package's own enum is erased with its types.
      hash: (password, cost) => rust.hash(password, { parallelism: 1, ...cost, algorithm: 2 }),
      verify: (hash, password) => rust.verify(hash, password),
    };
  } catch {
    return portableArgon2;
  }
}

/** The PHC string format: variant, version, three parameters, salt and hash. */
const phcForm =
  /^\$argon2(?:id|i|d)(?:\$v=(?:16|19))?\$([mtp]=[1-9]\d*),([mtp]=[1-9]\d*),([mtp]=[1-9]\d*)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Argon2 takes at least 8 KiB a lane (RFC 9106 §3.1). */
const memoryBounds = [8, mostMemory / 1024] as const;
const passBounds = [1, 20] as const;
const laneBounds = [1, 64] as const;
/** RFC 9106 §3.1. */
const shortestSalt = 8;

/** In KiB: the memory with which the work of a large hash is done in another's place. */
const spentMemory = 65_536;

const familyOf = (lanes: number) => `argon2-p${lanes}`;

/** The work of a check: KiB of memory, once for each pass. */
const workOf = ({ memoryCost, timeCost }: HashCost) => memoryCost * timeCost;

/** Returns the work of a check, for a hash that is made with this cost. */
export const workOfCost = (cost: HashCost) => ({
  family: familyOf(cost.parallelism ?? 1),
  work: workOf(cost),
});

/** Argon2 (RFC 9106) in the PHC string format, in its three variants. */
export const argon2Scheme = (implementation: Argon2): Scheme => ({
  read(text) {
    if (!text.startsWith('$argon2')) return null;
    const [, first, second, third, saltText, digestText] = phcForm.exec(text) ?? [];
    if (first === undefined)
      throw new UnusableHash('begins like Argon2, and is none in the PHC string format');
    const given = new Map([first, second!, third!].map(text => [text[0], Number(text.slice(2))]));
    const [m = 0, t = 0, p = 0] = ['m', 't', 'p'].map(name => given.get(name));
    assertWithin('the Argon2 memory in KiB', m, memoryBounds);
    assertWithin('the Argon2 number of passes', t, passBounds);
    assertWithin('the Argon2 number of lanes', p, laneBounds);
    const [salt, digest] = [bytesOfBase64(saltText!), bytesOfBase64(digestText!)];
    assertLengths(salt, digest);
    if (salt.length < shortestSalt || m < 8 * p) throw new UnusableHash('is no complete Argon2 hash');
    // A hash without a version is of the first one; the packages disagree about that.
    const versioned = text.includes('$v=') ? text : text.replace(/^(\$argon2\w+)/, '$1$v=16');
    return {
      family: familyOf(p),
      work: workOf({ memoryCost: m, timeCost: t }),
      verify: password => implementation.verify(versioned, password),
    };
  },

  spend(family, work) {
    const parallelism = Number(/^argon2-p(\d+)$/.exec(family)?.[1]);
    if (!parallelism) return null;
    const timeCost = Math.max(1, Math.round(work / spentMemory));
    const memoryCost = Math.max(8 * parallelism, Math.round(work / timeCost));
    return implementation.hash('', { memoryCost, timeCost, parallelism });
  },
});

/** Returns whether a hash was not made by Gatehouse with this cost. */
export function isOutdated(hash: string, cost: HashCost): boolean {
  return !hash.startsWith('$argon2id$') || argon2.needsRehash(hash, { parallelism: 1, ...cost });
}
