import type { HashCost } from '../crypto/schemes/argon2.ts';

/** Next to nothing, for up to eight lanes: hashing is most of what a test would otherwise wait for. */
export const cheapHash: HashCost = { memoryCost: 64, timeCost: 1 };
