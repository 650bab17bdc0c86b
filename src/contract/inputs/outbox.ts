import { z } from 'zod';
import { after } from '../cursors.ts';
import { idOf, limit } from './admin.ts';
import { field } from './refused.ts';

export const MessageIdInput = z.strictObject({ id: idOf('the message') });

export const OutboxInput = z.strictObject({
  state: z
    .enum(['waiting', 'sending', 'dead'], field('option__state'))
    .nullish()
    .describe('Only messages in this state; all when absent.'),
  limit,
  after,
});
