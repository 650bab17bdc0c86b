import { isIP } from 'node:net';
import { z } from 'zod';
import { UserIdInput } from './admin.ts';
import { email } from './fields.ts';
import { field } from './refused.ts';

export const UserEmailInput = z.strictObject({ email });

/** One lower-case word, because events, session lists and logs repeat it. */
const method = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, field('word'))
  .describe('How the host identified the person: `saml`, `kiosk`.');

/** A socket that also listens on IPv6 reports an IPv4 client as an IPv4-mapped address (RFC 4291 §2.5.5.2). */
const ip = z
  .string()
  .transform(text => text.replace(/^::ffff:(?=[\d.]+$)/i, ''))
  .refine(text => isIP(text) !== 0, field('ip'))
  .nullish()
  .describe('The address of the person, for the list of sessions.');

export const IssueSessionInput = UserIdInput.extend({
  method,
  ip,
  user_agent: z
    .string()
    .nullish()
    .describe('The header `User-Agent` of the person’s browser, for the list of sessions.'),
  mfa: z.boolean().nullish().describe('True when the host has seen two factors: no second step follows.'),
});
