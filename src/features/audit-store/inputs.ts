import { z } from 'zod';
import { after } from '../../contract/cursors.ts';
import { limit } from '../../contract/inputs/admin.ts';
import { field } from '../../contract/inputs/refused.ts';

const moment = (description: string) =>
  z.iso
    .datetime({ offset: true, message: field('time') })
    .nullish()
    .describe(description);

/** A text that is compared as it is. */
const exact = z
  .string()
  .max(200, field('too_long'))
  .refine(text => text.isWellFormed() && !/\p{Cc}/u.test(text), field('control_characters__plain'))
  .nullish();

/** Which records: a filter that is absent or null does not filter. */
export const AuditFilters = z.strictObject({
  actor: exact.describe(
    'Only acts of this user, by id or address; on the command line actors are users of the operating system.',
  ),
  subject: exact.describe('Only acts that concerned this user, by id or address.'),
  operation: exact.describe('Only acts of this operation.'),
  outcome: z
    .enum(['ok', 'refused', 'failed'], field('option__outcome'))
    .nullish()
    .describe('Only acts that ended so.'),
  is_look: z
    .boolean()
    .nullish()
    .describe(
      'True for acts of administrators that only looked at something, false for the others only; all when absent.',
    ),
  since: moment('Only records of this time or later.'),
  until: moment('Only records of before this time.'),
});
export type AuditFilters = z.infer<typeof AuditFilters>;

export const AuditInput = AuditFilters.extend({
  limit,
  after,
  with_addresses: z
    .boolean()
    .nullish()
    .describe('True adds the addresses that actor and subject have now, which are not stored with a record.'),
});

export const ActivityInput = z.strictObject({ limit, after });
