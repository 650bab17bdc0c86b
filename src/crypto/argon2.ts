import argon2 from 'argon2';

/** What a hash costs: memory in KiB, and passes over it. */
export interface HashCost {
  memoryCost: number;
  timeCost: number;
}

/** Argon2id with one lane. Each implementation verifies what any other has made. */
export interface Argon2id {
  readonly package: string;
  hash(password: string, cost: HashCost): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/** What is there without any optional package. */
export const portableArgon2id: Argon2id = {
  package: 'argon2',
  hash: (password, cost) => argon2.hash(password, { ...cost, type: argon2.argon2id, parallelism: 1 }),
  verify: (hash, password) => argon2.verify(hash, password),
};

/**
 * The optional peer `@node-rs/argon2` where it is installed and has a build for this machine, as it takes half the
 * time for the same hashes; else `argon2`. Both work on libuv's threads.
 */
export async function openArgon2id(): Promise<Argon2id> {
  try {
    const { default: rust } = await import('@node-rs/argon2');
    return {
      package: '@node-rs/argon2',
      // 2 is Argon2id; the package's own enum is erased with its types.
      hash: (password, cost) => rust.hash(password, { ...cost, algorithm: 2, parallelism: 1 }),
      verify: (hash, password) => rust.verify(hash, password),
    };
  } catch {
    return portableArgon2id;
  }
}

/** Whether a hash has other parameters than these; their order is the implementation's own. */
export function hasOtherCost(hash: string, cost: HashCost): boolean {
  return argon2.needsRehash(hash, { ...cost, parallelism: 1 });
}
