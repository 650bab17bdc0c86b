import { z } from 'zod';
import { after, afterUser } from '../cursors.ts';
import type { Level, OwnData } from '../own-fields.ts';
import { email, fullName } from './fields.ts';
import { localeOfChange } from './locale.ts';
import { provider } from './oauth.ts';
import { fieldsOfChange, roleFilter, roleOf, rolesOfChange } from './own-fields.ts';
import { field } from './refused.ts';

/** The longest page of a list, whatever is requested (SPEC §8). */
export const longestPage = 200;
/** The largest offset that every database driver accepts. */
const largestSkip = 2 ** 31;

const skip = z
  .int()
  .min(0, field('too_small__negative'))
  .max(largestSkip, field('too_large__skip'))
  .nullish()
  .describe('How many items to skip; none when absent.');

export const limit = z
  .int()
  .min(1, field('too_small'))
  .transform(value => Math.min(value, longestPage))
  .nullish()
  .describe('How many items the page has; at most 200, and 50 when absent.');

const search = z
  .string()
  .refine(text => text.isWellFormed() && !/\p{Cc}/u.test(text), field('control_characters__plain'))
  .max(254, field('too_long'))
  .nullish()
  .describe('A part of the address or the name.');

export const ListInput = z.strictObject({ skip, limit, search, after });

const only = (what: string) =>
  z.boolean().nullish().describe(`True for ${what} only, false for the others only; all when absent.`);

/** Users are also filtered by their flags; a flag that is absent or null does not filter. */
export const listUsersInput = (own: OwnData) =>
  ListInput.extend({
    after: afterUser,
    is_active: only('accounts that are not disabled'),
    is_verified: only('accounts whose address is verified'),
    is_superuser: only('superusers'),
    is_mfa_enabled: only('accounts with a second step'),
    is_reported: only('accounts that a link "this was not me" has closed'),
    is_locked: only('accounts that wrong passwords have locked, among the 1,000 newest locks'),
    ...roleFilter(own),
  });

/** Hosts keep ids in columns of their own tables (CONTRACT §15.3). */
const longestId = 64;

/** An id is any text of at most 64 characters; an unknown id is not found. */
export const idOf = (what: string) =>
  z
    .string()
    .max(longestId, field('too_long__id'))
    .refine(text => text !== '' && text.isWellFormed() && !text.includes('\0'), field('id'))
    .meta({ scalar: 'ID', description: `The id of ${what}.` });

const id = idOf('the account');

export const UserIdInput = z.strictObject({ id }).meta({ id: 'AdminUserInput' });

/** An external identity of an account, by its provider. */
export const UserProviderInput = z.strictObject({ id, provider });

export const adminUpdateUserInput = (own: OwnData, level: Level) =>
  z.strictObject({
    id,
    is_active: z.boolean().nullish().describe('False disables the account and ends its sessions.'),
    is_superuser: z.boolean().nullish().describe('Whether the account may use administration.'),
    full_name: fullName,
    even_unverified: z
      .boolean()
      .nullish()
      .describe('Required to make an account a superuser whose address is not verified.'),
    ...localeOfChange(own),
    ...fieldsOfChange(own, level),
    ...rolesOfChange(own),
  });

/** Roles that are given and taken, where the others stay; no door offers it. */
export const roleChangeInput = (own: OwnData) => {
  const roles = z.array(roleOf(own)).max(own.roles.length);
  return z.strictObject({ id, add: roles, remove: roles });
};

export const adminChangeEmailInput = ({ enablePasswordReset }: { enablePasswordReset: boolean }) =>
  z.strictObject({
    id,
    email,
    is_verified: z
      .boolean()
      .nullish()
      .describe(
        'True when you vouch that the address is that of the owner; else it is verified by an email.',
      ),
    ...(enablePasswordReset && {
      require_new_password: z
        .boolean()
        .nullish()
        .describe(
          'True stops the password too, and removes other ways to sign in once another one is chosen.',
        ),
    }),
  }) as z.ZodType<{
    id: string;
    email: string;
    is_verified?: boolean | null | undefined;
    require_new_password?: boolean | null | undefined;
  }>;

export const PendingEmailInput = z.strictObject({ email });
