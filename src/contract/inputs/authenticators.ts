import { z } from 'zod';
import { displayed } from './fields.ts';

/** An id that the service issued; a text that can be none becomes one that nothing has, and is not found either. */
export const issuedId = z.string().transform(text => (/^[\w-]{1,200}$/.test(text) ? text : ''));

const id = issuedId.meta({ scalar: 'ID', description: 'The id of the authenticator.' });
const setupId = issuedId.meta({ scalar: 'ID', description: 'The id of the set-up.' });

const name = displayed
  .transform(text => text.trim())
  .refine(text => text.length > 0, 'is required')
  .refine(text => [...text].length <= 100, 'must have at most 100 characters')
  .describe('At most 100 characters.');

const end_other_sessions = z
  .boolean()
  .nullish()
  .describe(
    'True ends the other sessions of the account: those that are listed, or all while sessions are not listed.',
  );

export const ConfirmTotpSetupInput = z.strictObject({
  id: setupId,
  code: z.string().max(64, 'is too long for a code').describe('The code that the app shows now.'),
  name: name.nullish(),
  end_other_sessions,
});

/** A credential as a browser's `toJSON()` returns it (WebAuthn Level 3 §5.1). */
const credential = z
  .record(z.string(), z.unknown())
  .meta({ scalar: 'JSON' })
  .describe('What the browser returned, as `toJSON()` represents it.');

export const ConfirmPasskeySetupInput = z.strictObject({
  id: setupId,
  credential,
  name: name.nullish(),
  end_other_sessions,
});

export const RenameAuthenticatorInput = z.strictObject({ id, name });
export const AuthenticatorIdInput = z.strictObject({ id });

const challengeId = issuedId.meta({ scalar: 'ID', description: 'The id of the challenge.' });

export const LoginWithPasskeyInput = z.strictObject({ id: challengeId, credential });

export const passkeyProof = { id: challengeId.nullish(), credential: credential.nullish() };
