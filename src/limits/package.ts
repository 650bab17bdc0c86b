import { findOptional } from '../optional.ts';

/**
 * Returns whether the package that counts requests is installed. Without it, a configured limit prevents the server from
 * starting.
 */
export const hasCounter = async (): Promise<boolean> =>
  (await findOptional('rate-limiter-flexible', () => import('rate-limiter-flexible'))) !== null;
