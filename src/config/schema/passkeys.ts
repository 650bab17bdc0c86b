import { z } from 'zod';
import { list, origin } from './fields.ts';

/** The `[passkeys]` table. */
export const passkeys = z.strictObject({
  rp_id: z
    .string('must be a string')
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain in lower case, such as example.org')
    .optional()
    .describe('Domain that passkeys belong to (the relying party id); the host of `base_url` when unset'),
  origins: list(origin()).describe('Further origins whose pages may use passkeys, beside that of `base_url`'),
});
