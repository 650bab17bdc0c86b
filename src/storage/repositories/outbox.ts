import type { OutboxKind, OutboxMessage, OutboxState } from '../../entities/outbox-message.ts';
import { type Backend, fromNow } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export type OutboxRows = ReturnType<typeof createOutboxRows>;

/** A row before it is stored: its times are relative to the database's clock, in milliseconds. */
export interface NewOutboxMessage
  extends Pick<OutboxMessage, 'id' | 'kind' | 'purpose' | 'recipient' | 'payload' | 'lease'> {
  /** When it is due, or when its lease ends. */
  dueInMs: number;
  /** When it is given up. */
  endsInMs: number;
}

/** A row and the lease under which a process has it. */
export type Leased = Pick<OutboxMessage, 'id'> & { lease: string };

export function createOutboxRows(backend: Backend, run: Run) {
  const table = openTable<OutboxMessage>(backend, backend.entities.outbox, run);
  const held = ({ id, lease }: Leased) => ({ id, lease });

  return {
    /** Stores a message: leased, when the process that stores it also sends it. */
    async add({ dueInMs, endsInMs, ...row }: NewOutboxMessage): Promise<void> {
      const isLeased = row.lease !== null;
      const times = {
        createdAt: fromNow(0),
        nextAttemptAt: fromNow(dueInMs),
        endsAt: fromNow(endsInMs),
      } as unknown as Pick<OutboxMessage, 'createdAt' | 'nextAttemptAt' | 'endsAt'>;
      const state = isLeased ? ('sending' as const) : ('waiting' as const);
      await table.insert({ ...row, ...times, state, attempts: isLeased ? 1 : 0, lastError: null });
    },

    /** Leases the messages that are due, those that wait longest first. `nextAttemptAt` is when the lease ends. */
    claim: (lease: string, leaseMs: number, limit: number): Promise<OutboxMessage[]> =>
      table.claim(
        { nextAttemptAt: { $lte: fromNow(0) } },
        { set: { state: 'sending', lease, nextAttemptAt: fromNow(leaseMs) }, increment: { attempts: 1 } },
        { orderBy: 'nextAttemptAt', limit },
      ),

    /** Prolongs a lease. Returns false when it was lost. */
    extend: (leased: Leased, leaseMs: number) =>
      table.update(held(leased), { set: { nextAttemptAt: fromNow(leaseMs) } }),

    /**
     * Puts a message into a leased row, as of now, and prolongs its lease or ends it. Returns false when the lease was lost.
     */
    rewrite: (
      leased: Leased,
      { dueInMs, endsInMs, ...content }: Omit<NewOutboxMessage, 'id' | 'kind' | 'recipient'>,
    ) =>
      table.update(held(leased), {
        set: {
          ...content,
          state: content.lease === null ? 'waiting' : 'sending',
          createdAt: fromNow(0),
          nextAttemptAt: fromNow(dueInMs),
          endsAt: fromNow(endsInMs),
        },
      }),

    /** Ends a lease; the message is due again after this time. */
    giveBack: (leased: Leased, dueInMs: number, lastError: string | null) =>
      table.update(held(leased), {
        set: {
          ...{ state: 'waiting', lease: null, nextAttemptAt: fromNow(dueInMs) },
          ...(lastError !== null && { lastError }),
        },
      }),

    /** Ends a lease; the message is given up. Returns false when the lease was lost. */
    bury: (leased: Leased, lastError: string) =>
      table.update(held(leased), { set: { state: 'dead', lease: null, nextAttemptAt: null, lastError } }),

    /** Has a message that waits or is dead tried at once, and given up no sooner than after this time. */
    retry: async (id: string, endsInMs: number): Promise<boolean> => {
      const set = { state: 'waiting', nextAttemptAt: fromNow(0), endsAt: fromNow(endsInMs) };
      return table.update({ id, state: { $in: ['waiting', 'dead'] } }, { set });
    },

    /** Deletes work that has made no message, unless its lease was lost. */
    removeLeased: (leased: Leased) => table.delete(held(leased)),

    find: (id: string) => table.find({ id }),

    /** Deletes a message. Returns false when there is none. */
    remove: async (id: string) => (await table.delete({ id })) > 0,

    /** Returns messages, newest first. */
    list: (only: { state?: OutboxState }, { after, limit }: { after?: string | null; limit: number }) =>
      table.list({ where: only }, { orderBy: 'id', direction: 'desc', after, limit }),

    /** Returns how many there are, or `most` if there are as many or more. */
    count: (only: { kind: OutboxKind; state: OutboxState }, most: number) =>
      table.count({ where: only }, most),

    /** Deletes dead messages that were stored at or before this time and returns how many. */
    purge: (before: Date) => table.delete({ state: 'dead', createdAt: { $lte: before } }),
  };
}
