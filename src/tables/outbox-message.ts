import { featureJobs } from '../feature-parts.ts';
import { defineTable, integer, type RowOf, text, time } from './define.ts';

/** The kinds of jobs that are given up after a number of attempts, and that can belong to no process any more. */
export const countedKinds = featureJobs;

/** The kinds of stored jobs. */
export const outboxKinds = ['mail', 'text', ...countedKinds] as const;
export type OutboxKind = (typeof outboxKinds)[number];

/** `waiting` until it is due, `sending` while a process has claimed it, or `dead`: a dead letter for administrators. */
export type OutboxState = 'waiting' | 'sending' | 'dead';

/**
 * A job: a delivery that is not done yet (CONTRACT §12.1). Its row is deleted when it is done. Its times are those of the
 * database's clock.
 */
export const outboxMessages = defineTable({
  name: 'OutboxMessage',
  setting: 'outbox_collection',
  usualName: 'outbox',
  description: '… of messages that wait to be delivered, while `mail_store` is `database`',
  columns: {
    id: text().key(),
    kind: text<OutboxKind>(),
    /** The kind of an email or of a texted code; the name of an event. */
    purpose: text(),
    /** A part of the recipient, by which administrators find a message; the name of a webhook or of a durable handler. */
    recipient: text(),
    /** The name of its queue: that of a webhook or of a durable handler; null for emails and text messages. */
    lane: text().nullable(),
    /** The payload, encrypted with the data encryption key and bound to this row. */
    payload: text(),
    state: text<OutboxState>(),
    /** The number of attempts, the running one included. */
    attempts: integer(),
    createdAt: time(),
    /** When it is due, or when its lease ends while it is claimed. Null for a dead letter. */
    nextAttemptAt: time().nullable().indexed(),
    /** When it is given up. */
    endsAt: time(),
    /** The random id of the lease, known to the process that has claimed it. */
    lease: text().nullable(),
    /** The error of the latest attempt; contains no address and no secret. */
    lastError: text().nullable(),
  },
  indexes: [
    ['state', 'id'],
    ['lane', 'nextAttemptAt'],
  ],
});

export type OutboxMessage = RowOf<typeof outboxMessages>;
