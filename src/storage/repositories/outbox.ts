import type { OutboxKind, OutboxMessage, OutboxState } from '../../entities/outbox-message.ts';
import { type Backend, fromNow } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export type OutboxRows = ReturnType<typeof createOutboxRows>;

/** A row before it is stored: its times are relative to the database's clock, in milliseconds. */
export interface NewOutboxMessage
  extends Pick<OutboxMessage, 'id' | 'kind' | 'purpose' | 'recipient' | 'payload' | 'lease'> {
  /** None for emails and text messages. */
  lane?: string | null;
  /** When it is due, or when its lease ends. */
  dueInMs: number;
  /** When it is given up. */
  endsInMs: number;
}

/** Which messages a process leases: those of one lane, and there, where it matters, those of some purposes. */
export interface Share {
  lane: string | null;
  purposes?: string[] | undefined;
}

/** How many rows are changed by one statement where a whole lane is. */
const batch = 100;

/** A row and the lease under which a process has it. */
export type Leased = Pick<OutboxMessage, 'id'> & { lease: string };

export function createOutboxRows(backend: Backend, run: Run) {
  const table = openTable<OutboxMessage>(backend, backend.entities.outbox, run);
  const held = ({ id, lease }: Leased) => ({ id, lease });

  return {
    /** Stores a message: leased, when the process that stores it also sends it. */
    async add({ dueInMs, endsInMs, lane = null, ...row }: NewOutboxMessage): Promise<void> {
      const isLeased = row.lease !== null;
      const times = {
        createdAt: fromNow(0),
        nextAttemptAt: fromNow(dueInMs),
        endsAt: fromNow(endsInMs),
      } as unknown as Pick<OutboxMessage, 'createdAt' | 'nextAttemptAt' | 'endsAt'>;
      const state = isLeased ? ('sending' as const) : ('waiting' as const);
      await table.insert({ ...row, lane, ...times, state, attempts: isLeased ? 1 : 0, lastError: null });
    },

    /** Stores a message that is given up until somebody has it tried. */
    async addDead(
      { dueInMs: _, endsInMs, lane = null, ...row }: NewOutboxMessage,
      lastError: string,
    ): Promise<void> {
      const times = { createdAt: fromNow(0), endsAt: fromNow(endsInMs) } as unknown as Pick<
        OutboxMessage,
        'createdAt' | 'endsAt'
      >;
      const dead = { lease: null, nextAttemptAt: null, state: 'dead' as const, attempts: 0, lastError };
      await table.insert({ ...row, lane, ...times, ...dead });
    },

    /** Leases the messages that are due, those that wait longest first. `nextAttemptAt` is when the lease ends. */
    claim: (
      lease: string,
      leaseMs: number,
      limit: number,
      { lane, purposes }: Share = { lane: null },
    ): Promise<OutboxMessage[]> =>
      table.claim(
        { lane, ...(purposes && { purpose: { $in: purposes } }), nextAttemptAt: { $lte: fromNow(0) } },
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
      { dueInMs, endsInMs, ...content }: Omit<NewOutboxMessage, 'id' | 'kind' | 'recipient' | 'lane'>,
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
      const still = { id, state: { $in: ['waiting', 'dead'] } };
      // Webhooks and handlers are given up after a number of tries: they get all of them again.
      const counted = { ...still, kind: { $in: ['webhook', 'event'] } };
      return (await table.update(counted, { set: { ...set, attempts: 0 } })) || table.update(still, { set });
    },

    /** Gives up what is due in a lane. */
    async buryLane(lane: string, lastError: string): Promise<void> {
      const dead = { state: 'dead', lease: null, nextAttemptAt: null, lastError };
      const due = { lane, nextAttemptAt: { $lte: fromNow(0) } };
      const bury = () => table.claim(due, { set: dead }, { orderBy: 'nextAttemptAt', limit: batch });
      while ((await bury()).length === batch);
    },

    /**
     * Has what was given up in a lane, and what was tried and waits for its next try, tried from the beginning. Returns how
     * many messages there were.
     */
    async replayLane(lane: string, endsInMs: number): Promise<number> {
      const times = { nextAttemptAt: fromNow(0), endsAt: fromNow(endsInMs) };
      const set = { ...times, state: 'waiting', attempts: 0 };
      let count = 0;
      for (const untaken of [{ state: 'dead' }, { state: 'waiting', attempts: { $gt: 0 } }]) {
        // By id, so that what fails again meanwhile is not replayed again.
        for (let after = '', isMore = true; isMore; ) {
          const where = { lane, ...untaken, id: { $gt: after } };
          const changed = await table.claim(where, { set }, { orderBy: 'id', limit: batch });
          count += changed.length;
          after =
            changed
              .map(({ id }) => id)
              .toSorted()
              .at(-1) ?? after;
          isMore = changed.length === batch;
        }
      }
      return count;
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
    count: (only: { kind?: OutboxKind; lane?: string; state: OutboxState }, most: number) =>
      table.count({ where: only }, most),

    /**
     * Deletes dead messages that were stored at or before this time, and what nothing delivers any more: that of webhooks
     * and handlers which no process has. Returns how many.
     */
    async purge(before: Date): Promise<number> {
      const orphans = { kind: { $in: ['webhook', 'event'] }, createdAt: { $lte: before } };
      return (
        (await table.delete({ state: 'dead', createdAt: { $lte: before } })) +
        (await table.delete({ ...orphans, state: 'waiting' }))
      );
    },
  };
}
