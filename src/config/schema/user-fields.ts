import { z } from 'zod';
import { flag, lineByLanguage, whole } from './fields.ts';

const level = () => z.enum(['user', 'admin', 'host'], 'must be user, admin or host').default('user');

/** A `[user_fields.NAME]` table: a field that the host adds to every user (CONTRACT §15.2). */
export const userField = z.strictObject({
  type: z
    .enum(['string', 'number', 'boolean', 'date'], 'must be string, number, boolean or date')
    .default('string')
    .describe('`string`, `number`, `boolean` or `date` (`YYYY-MM-DD`)'),
  label: lineByLanguage()
    .optional()
    .describe('Its name in forms, or a table of it by language; made from the name of the field when unset'),
  required: flag(false).describe('Registration needs it, and it cannot be cleared'),
  max_length: whole(1, 10_000).default(200).describe('Longest text, in characters; for strings only'),
  editable_by: level().describe('Who can set it: `user`, `admin` or `host`; each includes those after it'),
  visible_to: level().describe('Who can see it: `user`, `admin` or `host`; each includes those after it'),
});

/** The names of the roles that administrators and the host can give. */
export const roles = z
  .array(
    z
      .string('must be a string')
      .regex(
        /^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/,
        'must be at most 64 letters, digits, hyphens, underscores, dots and colons, and begin with a letter',
      ),
    'must be a list',
  )
  .refine(names => new Set(names).size === names.length, "can't contain a name twice")
  .default([]);
