import { inject } from 'vitest';
import type { HashCost } from '../../src/crypto/schemes/argon2.ts';
import { cheapHash } from '../../src/testing/cheap-hash.ts';

/**
 * What a password hash costs in tests of several processes: as much as in production in `npm run test:all`, where it is undefined,
 * and next to nothing in `npm test`.
 */
export const hashCost = (): HashCost | undefined => (inject('tier') === 'all' ? undefined : cheapHash);
