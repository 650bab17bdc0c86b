import { isIP } from 'node:net';
import { z } from 'zod';
import type { OwnData } from '../own-fields.ts';
import { UserIdInput } from './admin.ts';
import { email, fullName, type NewPasswordRules, newPassword } from './fields.ts';
import { fieldsOfChange, rolesOfChange } from './own-fields.ts';

export const UserEmailInput = z.strictObject({ email });

export const createUserInput = (rules: OwnData & NewPasswordRules) =>
  z
    .strictObject({
      email,
      password: newPassword(rules).nullish(),
      full_name: fullName,
      is_verified: z.boolean().nullish().describe('Whether the host knows that the address is theirs.'),
      is_superuser: z.boolean().nullish().describe('Whether the account may use administration.'),
      even_unverified: z
        .boolean()
        .nullish()
        .describe('Required to make an account a superuser whose address is not verified.'),
      invite: z.boolean().nullish().describe('Whether its owner is emailed a link to choose a password.'),
      ...fieldsOfChange(rules, 'host'),
      ...rolesOfChange(rules),
    })
    .refine(({ password, invite }) => password == null || !invite, {
      path: ['invite'],
      message: 'belongs to an account whose password is not given: its owner chooses one',
    });

/** One lower-case word, because events, session lists and logs repeat it. */
const method = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'must be a word of at most 32 lower-case letters, digits, _ and -')
  .describe('How the host identified the person: `saml`, `kiosk`.');

/** A socket that also listens on IPv6 reports an IPv4 client as an IPv4-mapped address (RFC 4291 §2.5.5.2). */
const ip = z
  .string()
  .transform(text => text.replace(/^::ffff:(?=[\d.]+$)/i, ''))
  .refine(text => isIP(text) !== 0, 'is not an IP address')
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
