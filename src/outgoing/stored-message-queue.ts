import { scheduleOnTimer } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { LateAnswer, storageErrorOf } from '../storage/errors.ts';
import type { OutboxKind } from '../tables/outbox-message.ts';
import { attempt, backoffMs, type Failure, usualTimeoutMs } from './attempt.ts';
import type { Job } from './job.ts';
import type { JobStore } from './job-store.ts';
import { MessageCounts } from './message-counts.ts';
import type { Delivery, MessageQueue } from './message-queue.ts';

/** How messages of one kind are written into rows and read from them. */
export interface MessageFormat<M> {
  kind: OutboxKind;
  /** Returns a part of the recipient, by which administrators find a message. */
  mask(message: M): string;
  /** Returns a message from its JSON. */
  read(stored: unknown): M;
}

interface Options {
  store: JobStore;
  logger: Logger;
}

const expired: Failure = {
  reason: { code: 'expired', reason: 'it was not sent in time' },
  isPermanent: true,
  isOfRecipient: false,
};

/** Returns the error of a stored message, in one line without an address or a secret. */
const inWords = ({ code, reason }: Failure['reason']) => (reason ? `${code}: ${reason}` : code);

/** Returns the queue of one kind of message whose messages are jobs in the database. */
export function createStoredMessageQueue<M extends object>(
  delivery: Delivery<M>,
  { kind, mask, read }: MessageFormat<M>,
  { store, logger }: Options,
): MessageQueue<M> {
  const counts = new MessageCounts(store.now);
  const { noun } = delivery;
  let sending = 0;
  let failedAttempts = 0;
  /** Only of a command: those of a server would be remembered as long as it runs. */
  const givenUp: string[] = [];
  let isDrained = false;

  async function reportUndelivered(message: M, purpose: string): Promise<void> {
    await delivery.onUndelivered?.(message).catch(() => {
      logger.warn({ kind: purpose }, `an undelivered ${noun} still counts towards the cap`);
    });
  }

  async function deliver(job: Job): Promise<void> {
    const { purpose, payload, storedAt, endsAt } = job;
    const message = read(payload.content);
    const fields = { kind: purpose, attempt: job.attempt, ...delivery.describe(message) };
    const ageMs = () => store.now() - storedAt;
    const isOver = () => store.now() >= endsAt || ageMs() >= (payload.lifetimeMs ?? Number.POSITIVE_INFINITY);
    const send = () => delivery.send(message, ageMs());
    const failure = isOver() ? expired : await attempt(send, usualTimeoutMs, scheduleOnTimer);
    if (!failure) {
      counts.sent();
      logger.debug(fields, `${noun} sent`);
      await store.complete(job);
      return;
    }
    failedAttempts++;
    if (failure !== expired) counts.attemptFailed(failure);
    const why = inWords(failure.reason);
    if (failure.isPermanent || isOver()) {
      counts.gaveUp();
      logger.error({ ...fields, ...failure.reason }, `${noun} not sent, given up`);
      if (!(await store.deadLetter(job, why))) return;
      if (!store.polls) givenUp.push(job.id);
      await reportUndelivered(message, purpose);
      return;
    }
    logger.warn({ ...fields, ...failure.reason }, `${noun} not sent, will be retried`);
    await store.release(job, Math.min(backoffMs(job.attempt), endsAt - store.now()), why);
  }

  store.handle(kind, async job => {
    sending++;
    await deliver(job).finally(() => sending--);
  });

  return {
    get state() {
      return counts.stateWith(sending);
    },
    async enqueue(purpose, message, { lifetimeMs, replaces } = {}) {
      const payload = { by: kind, content: message, lifetimeMs };
      const job = { kind, purpose, recipient: mask(message), payload };
      try {
        if (!replaces) return await store.add(job);
        replaces.isReplaced = true;
        // When the claim is lost, another process does the task and makes a message of its own.
        if (!(await store.replace(replaces, job))) await reportUndelivered(message, purpose);
      } catch (error) {
        // When the database answers too late, the message may be sent nevertheless.
        if (!(storageErrorOf(error) instanceof LateAnswer)) await reportUndelivered(message, purpose);
        throw error;
      }
    },
    async drain(timeoutMs) {
      const unfinished = (await store.drain(timeoutMs)).filter(job => job.kind === kind);
      const undelivered = isDrained ? 0 : unfinished.length + (store.polls ? 0 : failedAttempts);
      isDrained = true;
      return { undelivered, ...(givenUp.length > 0 && { givenUp }) };
    },
    settled: () => store.settled(),
  };
}
