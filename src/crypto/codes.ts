import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';

/** What a code is bound to: it is good for nothing and nobody else. */
export interface CodeBinding {
  userId: string;
  kind: string;
  phoneNumber: string;
}

export interface CodeSettings {
  secret: string;
  /** A former secret, whose codes are accepted until they expire. */
  previousSecret?: string | undefined;
  /** Digits of a code. */
  length: number;
}

export type Codes = ReturnType<typeof createCodes>;

/**
 * Numeric codes and their hashes. A code has too few digits for a plain hash: whoever reads the table would try them
 * all, so the hash needs a key that is not in the table.
 */
export function createCodes({ secret, previousSecret, length }: CodeSettings) {
  const key = keyOf(secret);
  // A code that was under way when the secret was changed is as good as a token of that time.
  const keys = [key, ...(previousSecret === undefined ? [] : [keyOf(previousSecret)])];

  return {
    /** As many digits as configured, each from a cryptographically secure source. */
    generate: () => Array.from({ length }, () => randomInt(10)).join(''),
    hash: (code: string, binding: CodeBinding) => hash(key, code, binding),
    matches: (code: string, binding: CodeBinding, stored: string): boolean =>
      keys.some(key => {
        const given = Buffer.from(hash(key, code, binding));
        return given.length === stored.length && timingSafeEqual(given, Buffer.from(stored));
      }),
  };
}

const keyOf = (secret: string) => createHmac('sha256', secret).update('gatehouse:mfa_code').digest();

const hash = (key: Buffer, code: string, { userId, kind, phoneNumber }: CodeBinding) =>
  createHmac('sha256', key).update([userId, kind, phoneNumber, code].join('\0')).digest('hex');
