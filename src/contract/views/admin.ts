import { z } from 'zod';
import type { PendingRegistration } from '../../tables/pending-registration.ts';
import { AnyUser, type UserPublic } from './account.ts';
import { count, email, time } from './fields.ts';

/** A pending registration as administrators see it. */
export const PendingRegistrationView = z
  .object({
    email: email.describe('The address that waits for its verification.'),
    full_name: z.string().nullable().describe('As the person gave it; shown to administrators only.'),
    created_at: time.describe('When the address was first registered; shown to administrators only.'),
    expires_at: time.describe('When the link in the email stops working.'),
    is_contested: z
      .boolean()
      .describe(
        'Registered more than once, so that the person who opens the email chooses the password; shown to administrators only.',
      ),
  })
  .meta({
    id: 'PendingRegistration',
    description: 'A registration that waits for the link in its email to be used.',
  });
export type PendingRegistrationView = z.infer<typeof PendingRegistrationView>;

export function toPendingRegistrationView(row: PendingRegistration): PendingRegistrationView {
  return {
    email: row.email,
    full_name: row.fullName,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    is_contested: row.isContested,
  };
}

/** Returns the schema of one page of a list. */
const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item).describe('The page.'),
    total: count.describe(
      'How many match, on every page together. Counting stops at 10,000, with a search at 1,000.',
    ),
    skip: count.describe('How many were skipped.'),
    limit: count.describe('How many items a page has at most.'),
    has_more: z.boolean().describe('Whether another page follows.'),
  });

export const userPageOf = <T extends z.ZodType<UserPublic>>(user: T) =>
  pageOf(user)
    .extend({
      is_capped: z
        .boolean()
        .optional()
        .describe(
          'With `is_locked`: whether more accounts may be locked than the 1,000 newest, which are looked at.',
        ),
    })
    .meta({ id: 'UserPage', description: 'A page of accounts.' });
/** A page of accounts of any configuration. */
export const AnyUserPage = userPageOf(AnyUser);
export type UserPage = z.infer<typeof AnyUserPage>;
export const PendingPage = pageOf(PendingRegistrationView).meta({
  id: 'PendingPage',
  description: 'A page of pending registrations.',
});
export type PendingPage = z.infer<typeof PendingPage>;

export const StatsView = z
  .object({
    total_users: count.describe('Accounts.'),
    active_users: count.describe('Accounts that are not disabled.'),
    verified_users: count.describe('Accounts whose address is verified.'),
    superusers: count.describe('Accounts that may use administration.'),
    pending_registrations: count.describe('Registrations that wait for their link to be used.'),
  })
  .meta({
    id: 'Stats',
    graphql: 'AdminStats',
    description: 'How many accounts there are. Numbers beyond 10,000 are at most ten seconds old.',
  });
export type StatsView = z.infer<typeof StatsView>;
