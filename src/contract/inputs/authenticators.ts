import { z } from 'zod';
import { displayed } from './fields.ts';
import { field, refused } from './refused.ts';

/** An id that the service issued; a text that can be none becomes one that nothing has, and is not found either. */
export const issuedId = z.string().transform(text => (/^[\w-]{1,200}$/.test(text) ? text : ''));

const id = issuedId.meta({ scalar: 'ID', description: 'The id of the authenticator.' });
export const setupId = issuedId.meta({ scalar: 'ID', description: 'The id of the set-up.' });

const name = displayed
  .transform(text => text.trim())
  .refine(text => text.length > 0, field('required'))
  .refine(text => [...text].length <= 100, refused('too_long', { most: 100 }))
  .describe('At most 100 characters.');

const end_other_sessions = z
  .boolean()
  .nullish()
  .describe(
    'True ends the other sessions of the account: those that are listed, or all while sessions are not listed.',
  );

/** The choices of the owner of a new authenticator. */
export const setupChoices = { name: name.nullish(), end_other_sessions };

/** A credential as a browser's `toJSON()` returns it (WebAuthn Level 3 §5.1). */
export const credential = z
  .record(z.string(), z.unknown())
  .meta({ scalar: 'JSON' })
  .describe('What the browser returned, as `toJSON()` represents it.');

export const RenameAuthenticatorInput = z.strictObject({ id, name });
export const AuthenticatorIdInput = z.strictObject({ id });

export const challengeId = issuedId.meta({ scalar: 'ID', description: 'The id of the challenge.' });
