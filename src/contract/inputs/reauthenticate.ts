import { z } from 'zod';
import { credentialProof, isOneProof } from './credentials.ts';
import { givenPassword } from './fields.ts';
import { field } from './refused.ts';

interface Reauthentication {
  password?: string | null | undefined;
  id?: string | null | undefined;
  credential?: Record<string, unknown> | null | undefined;
}

/** Either the password, or the answer of a device to its challenge where one signs in by itself. */
export function reauthenticateInput({
  takesCredential,
}: {
  takesCredential: boolean;
}): z.ZodType<Reauthentication> {
  if (!takesCredential) return z.strictObject({ password: givenPassword });
  return z
    .strictObject({ password: givenPassword.nullish(), ...credentialProof })
    .refine(({ password, ...proof }) => isOneProof(password, proof), field('proof'));
}
