import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';

/** What a code is bound to: it is good for nothing and nobody else. */
export interface CodeBinding {
  userId: string;
  kind: string;
  phoneNumber: string;
}

export type Codes = ReturnType<typeof createCodes>;

/**
 * Numeric codes and their hashes. A code has too few digits for a plain hash: whoever reads the table would try them
 * all, so the hash needs a key that is not in the table.
 */
export function createCodes(secret: string, length: number) {
  const key = createHmac('sha256', secret).update('gatehouse:mfa_code').digest();
  const hash = (code: string, { userId, kind, phoneNumber }: CodeBinding) =>
    createHmac('sha256', key).update([userId, kind, phoneNumber, code].join('\0')).digest('hex');

  return {
    /** As many digits as configured, each from a cryptographically secure source. */
    generate: () => Array.from({ length }, () => randomInt(10)).join(''),
    hash,
    matches(code: string, binding: CodeBinding, stored: string): boolean {
      const given = Buffer.from(hash(code, binding));
      return given.length === stored.length && timingSafeEqual(given, Buffer.from(stored));
    },
  };
}
