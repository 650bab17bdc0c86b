import { z } from 'zod';
import { email, fullName } from './fields.ts';

/** No list is longer, whatever is asked for (SPEC §8). */
export const longestPage = 200;
/** What a driver takes as an offset. */
const largestSkip = 2 ** 31;

const skip = z
  .int('must be a whole number')
  .min(0, "can't be negative")
  .max(largestSkip, 'is too large')
  .nullish();

const limit = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .transform(value => Math.min(value, longestPage))
  .nullish();

const search = z
  .string()
  .refine(text => text.isWellFormed() && !/\p{Cc}/u.test(text), "can't hold control characters")
  .max(254, 'must have at most 254 characters')
  .nullish();

/** Where the page before ended; opaque to callers. */
const after = z
  .string()
  .max(1000, 'is not a cursor')
  .refine(text => text.isWellFormed() && !/\p{Cc}/u.test(text), 'is not a cursor')
  .nullish();

export const ListInput = z.strictObject({ skip, limit, search, after });

const flag = z.boolean().nullish();

/** Users are also picked by what they are; what is absent or null picks both kinds. */
export const ListUsersInput = ListInput.extend({
  is_active: flag,
  is_verified: flag,
  is_superuser: flag,
  is_mfa_enabled: flag,
});

/** An id is any text; one that is nobody's is not found. */
const id = z
  .string()
  .max(200, 'is too long for an id')
  .refine(text => text.isWellFormed() && !text.includes('\0'), 'is not an id');

export const UserIdInput = z.strictObject({ id });

export const AdminUpdateUserInput = z.strictObject({
  id,
  is_active: z.boolean().nullish(),
  is_superuser: z.boolean().nullish(),
  full_name: fullName,
});

export const PendingEmailInput = z.strictObject({ email });
