import { defineEntity, p } from '@mikro-orm/core';
import type { KeyColumn, Stored } from './record.ts';

/** What a stored delivery carries. */
export type OutboxKind = 'mail' | 'text' | 'webhook' | 'event';

/** `waiting` for its time, leased by a process that is `sending` it, or `dead`: given up, until somebody decides. */
export type OutboxState = 'waiting' | 'sending' | 'dead';

/**
 * A message that was not delivered yet (CONTRACT §12.1). A row is deleted when its message was sent. Its times are those of
 * the database's clock.
 */
export function outboxMessage(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'OutboxMessage',
    tableName,
    properties: {
      id: p.text().primary().fieldName(key('id')),
      kind: p.text().$type<OutboxKind>(),
      /** What it is about: the kind of an email, or of a texted code; the name of an event. */
      purpose: p.text(),
      /** A part of the recipient, for people who look for a message; the name of a webhook or of a durable handler. */
      recipient: p.text(),
      /** What is delivered apart from everything else: an endpoint, or a durable handler; null for emails and text messages. */
      lane: p.text().nullable(),
      /** The message, encrypted with the data encryption key for this row. */
      payload: p.text(),
      state: p.text().$type<OutboxState>(),
      /** How often sending was begun. */
      attempts: p.integer(),
      createdAt: p.datetime(3),
      /** When it is due; while it is being sent, when its lease ends. Null when it is dead. */
      nextAttemptAt: p.datetime(3).nullable().index(),
      /** When it is given up. */
      endsAt: p.datetime(3),
      /** The random id of the lease, known to the process that has it. */
      lease: p.text().nullable(),
      /** Why the latest try failed; contains no address and no secret. */
      lastError: p.text().nullable(),
    },
    indexes: [{ properties: ['state', 'id'] }, { properties: ['lane', 'nextAttemptAt'] }],
  });
}

export type OutboxMessage = Stored<ReturnType<typeof outboxMessage>>;
