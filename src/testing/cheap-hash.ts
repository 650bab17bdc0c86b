import type { HashCost } from '../crypto/schemes/argon2.ts';

/** The least that Argon2 allows: hashing is most of what a test would otherwise wait for. */
export const cheapHash: HashCost = { memoryCost: 1024, timeCost: 2 };
