import { join } from 'node:path';
import { inject } from 'vitest';
import type { HashCost } from '../../src/crypto/schemes/argon2.ts';
import { cheapHash } from '../../src/testing/cheap-hash.ts';

/** A password hash costs as much as in production in `npm run test:all`, and next to nothing in `npm test`. */
const isReal = () => inject('tier') === 'all';

/** What a hash costs in tests of several processes; undefined is the real cost. */
export const hashCost = (): HashCost | undefined => (isReal() ? undefined : cheapHash);

/** The arguments of Node with which a process has `hashCost`. */
export const hashing = (): string[] =>
  isReal() ? [] : ['--import', join(import.meta.dirname, 'cheap-hashing.ts')];
