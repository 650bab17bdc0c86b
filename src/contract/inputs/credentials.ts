import { challengeId, credential } from './authenticators.ts';

/** The answer of a device to a challenge, where something else may be sent in place of it. */
export const credentialProof = { id: challengeId.nullish(), credential: credential.nullish() };
