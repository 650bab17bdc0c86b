import { challengeId, credential } from './authenticators.ts';

/** The answer of a device to a challenge, where something else may be sent in place of it. */
export const credentialProof = { id: challengeId.nullish(), credential: credential.nullish() };

interface CredentialProof {
  id?: string | null | undefined;
  credential?: Record<string, unknown> | null | undefined;
}

/** Returns whether one proof is sent: either the text, or the answer of a device. */
export const isOneProof = (text: string | null | undefined, { id, credential }: CredentialProof): boolean =>
  (text != null) !== (id != null && credential != null);
