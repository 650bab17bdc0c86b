import type { HashCost } from './schemes/argon2.ts';

/** OWASP Password Storage Cheat Sheet, Argon2id: m = 19 MiB, t = 2, p = 1. */
export const owasp: HashCost = { memoryCost: 19_456, timeCost: 2 };
