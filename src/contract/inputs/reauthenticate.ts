import { z } from 'zod';
import { passkeyProof } from './authenticators.ts';
import { givenPassword } from './fields.ts';

interface Reauthentication {
  password?: string | null | undefined;
  id?: string | null | undefined;
  credential?: Record<string, unknown> | null | undefined;
}

/** Either the password, or a passkey with its challenge where passkeys are switched on. */
export function reauthenticateInput({ passkeys }: { passkeys: boolean }): z.ZodType<Reauthentication> {
  if (!passkeys) return z.strictObject({ password: givenPassword });
  return z
    .strictObject({ password: givenPassword.nullish(), ...passkeyProof })
    .refine(
      ({ password, id, credential }) => (password != null) !== (id != null && credential != null),
      'needs either password, or id and credential',
    );
}
