import { z } from 'zod';
import { passkeyProof } from './authenticators.ts';
import { pendingToken } from './fields.ts';
import { textedCode } from './phone.ts';

/** A code of any method; one of the wrong form is simply wrong. */
const code = z
  .string()
  .meta({ examples: ['123456'] })
  .max(64, 'is too long for a code')
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

/** While text messages are the only method, there is nothing to choose, and a code is digits. */
export function confirmLoginMfaInput({
  totp,
  passkeys,
}: Record<'totp' | 'passkeys', boolean>): z.ZodType<Proof> {
  const mfa_pending_token = pendingToken;
  if (passkeys) return z.strictObject({ mfa_pending_token, method, code: code.nullish(), ...passkeyProof });
  if (totp) return z.strictObject({ mfa_pending_token, method, code });
  return z.strictObject({ mfa_pending_token, code: textedCode });
}

export const SendMfaCodeInput = z.strictObject({ mfa_pending_token: pendingToken });
export const StartMfaPasskeyInput = z.strictObject({ mfa_pending_token: pendingToken });
