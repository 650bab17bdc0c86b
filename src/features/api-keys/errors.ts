import type { ErrorCodes } from '../../error-kind.ts';

export const errors = {
  api_key_limit: { kind: 'conflict', title: 'Too many API keys' },
} as const satisfies ErrorCodes;
