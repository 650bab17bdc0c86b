import { z } from 'zod';
import { count, time } from './fields.ts';

export const OverviewView = z
  .object({
    since: time.describe('When the first of the 24 hours began: the present hour is the last of them.'),
    sign_ins: count.describe('Sign-ins in these hours.'),
    refusals: count.describe('Acts that were refused in these hours: wrong passwords and codes, used links.'),
    lockouts: count.describe('Those of the refused acts that a lockout refused.'),
    dead_deliveries: count.describe(
      'Stored messages and events that were given up, now; counted up to 10,000. 0 where none are stored.',
    ),
    webhooks_off: count.describe('Webhooks that are switched off, now.'),
  })
  .meta({
    id: 'Overview',
    description: 'The last 24 hours in numbers, of every process on the database; at most seconds old.',
  });
export type OverviewView = z.infer<typeof OverviewView>;
