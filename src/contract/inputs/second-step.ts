import { z } from 'zod';
import type { Factor } from '../../factor.ts';
import { credentialProof, isOneProof } from './credentials.ts';
import { pendingToken } from './fields.ts';
import { textedCode } from './phone.ts';
import { field } from './refused.ts';

/** A code of any method; one of the wrong form is simply wrong. */
const code = z
  .string()
  .meta({ examples: ['123456'] })
  .max(64, field('too_long__code'))
  .describe('The code of the text message or the authenticator app, or a recovery code.');

const method = z
  .enum(['passkey', 'totp', 'sms', 'recovery_code'])
  .nullish()
  .describe('The method; when absent, the strongest one that takes what is sent.');

interface Proof {
  mfa_pending_token: string;
  method?: z.infer<typeof method>;
  code?: string | null | undefined;
  id?: string | null | undefined;
  credential?: Record<string, unknown> | null | undefined;
}

/** While text messages are the only method, a code is digits. */
export function confirmLoginMfaInput(factors: readonly Pick<Factor, 'takes'>[]): z.ZodType<Proof> {
  const mfa_pending_token = pendingToken;
  if (factors.length === 0) return z.strictObject({ mfa_pending_token, method, code: textedCode });
  return takesCredentials(factors)
    ? z
        .strictObject({ mfa_pending_token, method, code: code.nullish(), ...credentialProof })
        .refine(({ code, ...proof }) => isOneProof(code, proof), field('proof__code'))
    : z.strictObject({ mfa_pending_token, method, code });
}

/** Returns whether a factor is proved by the answer of a device. */
const takesCredentials = (factors: readonly Pick<Factor, 'takes'>[]): boolean =>
  factors.some(({ takes }) => takes === 'credential');

/** The input of what begins with the token of the first step alone. */
export const PendingStepInput = z.strictObject({ mfa_pending_token: pendingToken });
