import { createHmac, randomInt } from 'node:crypto';
import { isSameText } from './same-text.ts';

/** The binding of a code: it is valid for nothing else. */
export interface CodeBinding {
  userId: string;
  kind: string;
  phoneNumber: string;
}

export interface CodeSettings {
  secret: string;
  /** The previous secret; its codes are accepted until they expire. */
  previousSecret?: string | undefined;
  /** Number of digits of a code. */
  length: number;
}

export type Codes = ReturnType<typeof createCodes>;

/**
 * Generates numeric codes and their hashes. A code has too few digits for a plain hash: a reader of the table could try
 * them all (brute force). So the hash is an HMAC with a key that is not in the table.
 */
export function createCodes({ secret, previousSecret, length }: CodeSettings) {
  const key = keyOf(secret);
  // A code sent before the secret was rotated stays valid, as a token of that time does.
  const keys = [key, ...(previousSecret === undefined ? [] : [keyOf(previousSecret)])];

  return {
    /** Returns a code of the configured length, from a cryptographically secure source. */
    generate: () => Array.from({ length }, () => randomInt(10)).join(''),
    hash: (code: string, binding: CodeBinding) => hash(key, code, binding),
    matches: (code: string, binding: CodeBinding, stored: string): boolean =>
      keys.some(key => isSameText(hash(key, code, binding), stored)),
  };
}

const keyOf = (secret: string) => createHmac('sha256', secret).update('gatehouse:mfa_code').digest();

const hash = (key: Buffer, code: string, { userId, kind, phoneNumber }: CodeBinding) =>
  createHmac('sha256', key).update([userId, kind, phoneNumber, code].join('\0')).digest('hex');
