import {
  countedKinds,
  type OutboxKind,
  type OutboxMessage,
  type OutboxState,
  outboxMessages,
} from '../../tables/outbox-message.ts';
import { type Backend, fromNow } from '../backend.ts';
import { openTable, type Run } from './table.ts';

export type OutboxRows = ReturnType<typeof createOutboxRows>;

/** A row before it is stored: its times are relative to the database's clock, in milliseconds. */
export interface NewOutboxMessage
  extends Pick<OutboxMessage, 'id' | 'kind' | 'purpose' | 'recipient' | 'payload' | 'lease'> {
  /** Its queue, stored as `lane`; none for emails and text messages. */
  queue?: string | null;
  /** When it is due, or when its lease ends. */
  dueInMs: number;
  /** When it is given up. */
  endsInMs: number;
}

/** The jobs that a process claims: those of one queue, and all its kinds and purposes unless some are given. */
export interface ClaimFrom {
  queue: string | null;
  kinds?: OutboxKind[] | undefined;
  purposes?: string[] | undefined;
}

/** How many rows one statement changes when a whole queue is changed. */
const batch = 100;

/** A claimed row and its lease. */
export type Claim = Pick<OutboxMessage, 'id'> & { lease: string };

export function createOutboxRows(backend: Backend, run: Run) {
  const table = openTable(backend, outboxMessages, run);
  const claimed = ({ id, lease }: Claim) => ({ id, lease });

  return {
    /** Stores a job: claimed, if the process that stores it also runs it. */
    async add({ dueInMs, endsInMs, queue = null, ...row }: NewOutboxMessage): Promise<void> {
      const isClaimed = row.lease !== null;
      const times = { createdAt: fromNow(0), nextAttemptAt: fromNow(dueInMs), endsAt: fromNow(endsInMs) };
      const state = isClaimed ? ('sending' as const) : ('waiting' as const);
      await table.insert({
        ...row,
        lane: queue,
        ...times,
        state,
        attempts: isClaimed ? 1 : 0,
        lastError: null,
      });
    },

    /** Stores a job as a dead letter. */
    async addDeadLetter(
      { dueInMs: _, endsInMs, queue = null, ...row }: NewOutboxMessage,
      lastError: string,
    ): Promise<void> {
      const times = { createdAt: fromNow(0), endsAt: fromNow(endsInMs) };
      const dead = { lease: null, nextAttemptAt: null, state: 'dead' as const, attempts: 0, lastError };
      await table.insert({ ...row, lane: queue, ...times, ...dead });
    },

    /** Claims due jobs, the longest due first. `nextAttemptAt` is the end of the lease then. */
    claim: (
      lease: string,
      leaseMs: number,
      limit: number,
      { queue, kinds, purposes }: ClaimFrom = { queue: null },
    ): Promise<OutboxMessage[]> =>
      table.claim(
        {
          lane: queue,
          ...(kinds && { kind: { $in: kinds } }),
          ...(purposes && { purpose: { $in: purposes } }),
          nextAttemptAt: { $lte: fromNow(0) },
        },
        { set: { state: 'sending', lease, nextAttemptAt: fromNow(leaseMs) }, increment: { attempts: 1 } },
        { orderBy: 'nextAttemptAt', limit },
      ),

    /** Extends a lease. Returns false when it was lost. */
    extend: (claim: Claim, leaseMs: number) =>
      table.update(claimed(claim), { set: { nextAttemptAt: fromNow(leaseMs) } }),

    /**
     * Replaces the content of a claimed row, as of now, and extends its lease or ends it. Returns false when the claim was
     * lost.
     */
    rewrite: (
      claim: Claim,
      { dueInMs, endsInMs, ...content }: Omit<NewOutboxMessage, 'id' | 'kind' | 'recipient' | 'queue'>,
    ) =>
      table.update(claimed(claim), {
        set: {
          ...content,
          state: content.lease === null ? 'waiting' : 'sending',
          createdAt: fromNow(0),
          nextAttemptAt: fromNow(dueInMs),
          endsAt: fromNow(endsInMs),
        },
      }),

    /** Ends a claim; the job is due again after this time. */
    release: (claim: Claim, dueInMs: number, lastError: string | null) =>
      table.update(claimed(claim), {
        set: {
          ...{ state: 'waiting', lease: null, nextAttemptAt: fromNow(dueInMs) },
          ...(lastError !== null && { lastError }),
        },
      }),

    /** Ends a claim and makes the job a dead letter. Returns false when the claim was lost. */
    deadLetter: (claim: Claim, lastError: string) =>
      table.update(claimed(claim), { set: { state: 'dead', lease: null, nextAttemptAt: null, lastError } }),

    /** Makes a waiting job or a dead letter due now, and given up no sooner than after this time. */
    retry: async (id: string, endsInMs: number): Promise<boolean> => {
      const set = { state: 'waiting', nextAttemptAt: fromNow(0), endsAt: fromNow(endsInMs) };
      const still = { id, state: { $in: ['waiting', 'dead'] } };
      // Webhooks and handlers are given up after a number of attempts, which starts again.
      const ofThese = { ...still, kind: { $in: [...countedKinds] } };
      return (await table.update(ofThese, { set: { ...set, attempts: 0 } })) || table.update(still, { set });
    },

    /** Makes the due jobs of a queue dead letters. Returns their ids. */
    async deadLetterDue(queue: string, lastError: string): Promise<string[]> {
      const dead = { state: 'dead', lease: null, nextAttemptAt: null, lastError };
      const due = { lane: queue, nextAttemptAt: { $lte: fromNow(0) } };
      const ids: string[] = [];
      for (let isMore = true; isMore; ) {
        const changed = await table.claim(due, { set: dead }, { orderBy: 'nextAttemptAt', limit: batch });
        ids.push(...changed.map(({ id }) => id));
        isMore = changed.length === batch;
      }
      return ids;
    },

    /**
     * Makes the dead letters of a queue, and its jobs that wait for a retry, due now and counts their attempts from 0. Returns
     * how many jobs there were.
     */
    async replay(queue: string, endsInMs: number): Promise<number> {
      const times = { nextAttemptAt: fromNow(0), endsAt: fromNow(endsInMs) };
      const set = { ...times, state: 'waiting', attempts: 0 };
      let count = 0;
      for (const failed of [{ state: 'dead' }, { state: 'waiting', attempts: { $gt: 0 } }]) {
        // In the order of ids, so that a job that fails again meanwhile is not replayed twice.
        for (let after = '', isMore = true; isMore; ) {
          const where = { lane: queue, ...failed, id: { $gt: after } };
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

    /** Deletes a job unless its claim was lost. */
    removeClaimed: (claim: Claim) => table.delete(claimed(claim)),

    find: (id: string) => table.find({ id }),

    /** Deletes a job. Returns false when there is none. */
    remove: async (id: string) => (await table.delete({ id })) > 0,

    /** Returns jobs, newest first. */
    list: (only: { state?: OutboxState }, { after, limit }: { after?: string | null; limit: number }) =>
      table.list(
        { where: only },
        { orderBy: ['id'], direction: 'desc', after: after == null ? null : [after], limit },
      ),

    /** Returns how many there are, or `most` if there are as many or more. */
    count: ({ queue, ...only }: { kind?: OutboxKind; queue?: string; state: OutboxState }, most: number) =>
      table.count({ where: { ...only, ...(queue !== undefined && { lane: queue }) } }, most),

    /**
     * Deletes dead letters that were stored at or before this time, and as old jobs of webhooks and handlers that no process
     * has any more. Returns how many.
     */
    async purge(before: Date): Promise<number> {
      const orphans = { kind: { $in: [...countedKinds] }, createdAt: { $lte: before } };
      return (
        (await table.purge({ state: 'dead', createdAt: { $lte: before } })) +
        (await table.purge({ ...orphans, state: 'waiting' }))
      );
    },
  };
}
