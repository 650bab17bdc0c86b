import type { Factor } from '../../factor.ts';

/** An authenticator app: its codes are the second step of every sign-in with a password. */
export const factor = {
  kind: 'totp',
  flag: 'enable_totp',
  strength: 1,
  takes: 'code',
  isStep: true,
} as const satisfies Factor;
