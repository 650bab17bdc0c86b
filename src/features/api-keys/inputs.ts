import { z } from 'zod';
import { idOf } from '../../contract/inputs/admin.ts';
import { issuedId } from '../../contract/inputs/authenticators.ts';
import { displayed } from '../../contract/inputs/fields.ts';
import { field, refused } from '../../contract/inputs/refused.ts';

const keyId = issuedId.meta({ scalar: 'ID', description: 'The id of the key.' });
const userId = idOf('the user');

const name = displayed
  .transform(text => text.trim())
  .refine(text => text.length > 0, field('required'))
  .refine(text => [...text].length <= 100, refused('too_long', { most: 100 }))
  .describe('At most 100 characters; two keys may have the same.');

/** The rules for a key. */
export interface KeyRules {
  /** The names of the scopes that a key may have. */
  scopes: readonly string[];
  /** The longest lifetime in days; 0 for none. */
  apiKeyMaxDays: number;
}

const newKeyFields = ({ scopes, apiKeyMaxDays: most }: KeyRules) => ({
  name,
  scopes: z
    .array(z.string().refine(scope => scopes.includes(scope), field('scope')))
    .min(1, field('required'))
    .refine(names => new Set(names).size === names.length, field('twice'))
    .describe('What it opens: one or more of those that `GET /api-keys` lists.'),
  expires_in_days: z
    .int()
    .refine(days => days >= (most === 0 ? 0 : 1), refused('too_small', { least: most === 0 ? 0 : 1 }))
    .refine(
      days => days <= (most === 0 ? longestDays : most),
      refused('too_large', { most: most || longestDays }),
    )
    .nullish()
    .describe(
      'After how many days it ends; `api_key_default_days` when absent. 0 is a key without end, where there may be some.',
    ),
});

/** A lifetime beyond this is one without end. */
const longestDays = 36_500;

export const createApiKeyInput = (rules: KeyRules) => z.strictObject(newKeyFields(rules));
export const createUserApiKeyInput = (rules: KeyRules) =>
  z.strictObject({ id: userId, ...newKeyFields(rules) });
export const RenameApiKeyInput = z.strictObject({ id: keyId, name });
export const ApiKeyIdInput = z.strictObject({ id: keyId });
export const UserApiKeysInput = z.strictObject({ id: userId });
export const UserApiKeyInput = z.strictObject({ id: userId, key_id: keyId });
