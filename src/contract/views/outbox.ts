import { z } from 'zod';
import { type OutboxMessage, outboxKinds } from '../../tables/outbox-message.ts';
import { count, time } from './fields.ts';
import { pageOf } from './pages.ts';

export const OutboxMessageView = z
  .object({
    id: z.string().meta({ scalar: 'ID', description: 'The id of the message.' }),
    kind: z.enum(outboxKinds).meta({
      id: 'OutboxKind',
      description: 'What is delivered.',
      values: {
        mail: 'An email.',
        text: 'A text message.',
        webhook: 'An event, to a webhook.',
        event: 'An event, to a durable handler of the application.',
      },
    }),
    purpose: z
      .string()
      .describe('What it is about: the kind of an email or of a texted code, or the name of an event.'),
    recipient: z
      .string()
      .describe(
        'A part of the recipient, enough to find a message; the name of a webhook or of a durable handler.',
      ),
    state: z.enum(['waiting', 'sending', 'dead']).meta({
      id: 'OutboxState',
      description: 'Waiting for its time, being sent, or given up until somebody decides.',
      values: {
        waiting: 'It waits for its time.',
        sending: 'It is being sent.',
        dead: 'It was given up until somebody decides.',
      },
    }),
    attempts: count.describe('How often sending was begun.'),
    created_at: time.describe('When it was stored, by the clock of the database.'),
    next_attempt_at: time
      .nullable()
      .describe(
        'When it is tried next; while it is being sent, when another process may try. Null when dead.',
      ),
    last_error: z.string().nullable().describe('Why the latest try failed; null before any has.'),
  })
  .meta({ id: 'OutboxMessage', description: 'A message that was not delivered yet.' });
export type OutboxMessageView = z.infer<typeof OutboxMessageView>;

export const toOutboxMessageView = (row: OutboxMessage): OutboxMessageView => ({
  id: row.id,
  kind: row.kind,
  purpose: row.purpose,
  recipient: row.recipient,
  state: row.state,
  attempts: row.attempts,
  created_at: row.createdAt.toISOString(),
  next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
  last_error: row.lastError,
});

export const OutboxPage = pageOf(OutboxMessageView, {
  id: 'OutboxPage',
  description: 'A page of messages that were not delivered yet.',
});
export type OutboxPage = z.infer<typeof OutboxPage>;
