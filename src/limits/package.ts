import { findOptional } from '../optional.ts';

/** Whether the package that counts requests is installed; without it a limit would keep the server from starting. */
export const hasCounter = async (): Promise<boolean> =>
  (await findOptional(() => import('rate-limiter-flexible'))) !== null;
