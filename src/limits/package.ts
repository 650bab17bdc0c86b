import { findOptional } from '../optional.ts';

/** Whether the package that counts requests is installed; without it a limit would keep the server from starting. */
export const hasCounter = async (): Promise<boolean> =>
  (await findOptional('rate-limiter-flexible', () => import('rate-limiter-flexible'))) !== null;
