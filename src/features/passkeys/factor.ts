import type { Factor } from '../../factor.ts';

/** A passkey: by itself both factors. After a password it is asked for where the policy requires a factor. */
export const factor = {
  kind: 'passkey',
  flag: 'enable_passkeys',
  strength: 2,
  takes: 'credential',
  isStep: false,
} as const satisfies Factor;
