import type { ErrorCodes } from '../../error-kind.ts';

export const errors = {
  invalid_target: { kind: 'bad_request', title: 'Unknown resource' },
  invalid_scope: { kind: 'bad_request', title: 'Unknown scope' },
  key_not_published: { kind: 'conflict', title: 'Key not published long enough' },
} as const satisfies ErrorCodes;
