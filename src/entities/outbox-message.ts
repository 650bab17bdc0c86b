import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/** The kind of a stored delivery. */
export type OutboxKind = 'mail' | 'text' | 'webhook' | 'event';

/** `waiting` until it is due, `sending` while a process has claimed it, or `dead`: a dead letter for administrators. */
export type OutboxState = 'waiting' | 'sending' | 'dead';

/**
 * A job: a delivery that is not done yet (CONTRACT §12.1). Its row is deleted when it is done. Its times are those of the
 * database's clock.
 */
export function outboxMessage(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'OutboxMessage',
    tableName,
    properties: {
      id: p.text().primary().fieldName(key('id')),
      kind: p.text().$type<OutboxKind>(),
      /** The kind of an email or of a texted code; the name of an event. */
      purpose: p.text(),
      /** A part of the recipient, by which administrators find a message; the name of a webhook or of a durable handler. */
      recipient: p.text(),
      /** The name of its queue: that of a webhook or of a durable handler; null for emails and text messages. */
      lane: p.text().nullable(),
      /** The payload, encrypted with the data encryption key and bound to this row. */
      payload: p.text(),
      state: p.text().$type<OutboxState>(),
      /** The number of attempts, the running one included. */
      attempts: p.integer(),
      createdAt: p.datetime(3),
      /** When it is due, or when its lease ends while it is claimed. Null for a dead letter. */
      nextAttemptAt: p.datetime(3).nullable().index(),
      /** When it is given up. */
      endsAt: p.datetime(3),
      /** The random id of the lease, known to the process that has claimed it. */
      lease: p.text().nullable(),
      /** The error of the latest attempt; contains no address and no secret. */
      lastError: p.text().nullable(),
    },
    indexes: [{ properties: ['state', 'id'] }, { properties: ['lane', 'nextAttemptAt'] }],
  });
}

export type OutboxMessage = Stored<ReturnType<typeof outboxMessage>>;
