import { scheduleOnTimer } from '../clock.ts';
import type { OutboxKind } from '../entities/outbox-message.ts';
import type { Logger } from '../logger.ts';
import { attempt, type Delivery, type Failure, type MessageQueue, pauseAfter, Tally } from './attempt.ts';
import type { Item } from './item.ts';
import type { MessageStore } from './store.ts';

/** How messages of one kind are written into rows and read from them. */
export interface Form<M> {
  kind: OutboxKind;
  /** Returns a part of the recipient, for people who look for a message. */
  mask(message: M): string;
  /** Returns a message from its JSON. */
  read(stored: unknown): M;
}

interface Options {
  store: MessageStore;
  logger: Logger;
  sendTimeoutMs?: number;
}

const expired: Failure = {
  reason: { code: 'expired', reason: 'it was not sent in time' },
  isPermanent: true,
};

/** Returns why a message waits or is dead, in one line without an address or a secret. */
const inWords = ({ code, reason }: Failure['reason']) => (reason ? `${code}: ${reason}` : code);

/** Returns the queue of one kind of message whose messages wait in the database. */
export function createStoredQueue<M extends object>(
  delivery: Delivery<M>,
  { kind, mask, read }: Form<M>,
  { store, logger, sendTimeoutMs = 30_000 }: Options,
): MessageQueue<M> {
  const tally = new Tally(store.now);
  const { noun } = delivery;
  let sending = 0;
  let failedTries = 0;
  let isDrained = false;

  async function reportUndelivered(message: M, purpose: string): Promise<void> {
    await delivery.onUndelivered?.(message).catch(() => {
      logger.warn({ kind: purpose }, `an undelivered ${noun} still counts towards the cap`);
    });
  }

  async function deliver(item: Item): Promise<void> {
    const { purpose, parcel, storedAt, endsAt } = item;
    const message = read(parcel.content);
    const fields = { kind: purpose, attempt: item.attempt, ...delivery.describe(message) };
    const ageMs = () => store.now() - storedAt;
    const isOver = () => store.now() >= endsAt || ageMs() >= (parcel.lifetimeMs ?? Number.POSITIVE_INFINITY);
    const send = () => delivery.send(message, ageMs());
    const failure = isOver() ? expired : await attempt(send, sendTimeoutMs, scheduleOnTimer);
    if (!failure) {
      tally.sent();
      logger.debug(fields, `${noun} sent`);
      await store.finish(item);
      return;
    }
    failedTries++;
    if (failure !== expired) tally.failedOnce(failure);
    const why = inWords(failure.reason);
    if (failure.isPermanent || isOver()) {
      tally.gaveUp();
      logger.error({ ...fields, ...failure.reason }, `${noun} not sent, given up`);
      if (await store.bury(item, why)) await reportUndelivered(message, purpose);
      return;
    }
    logger.warn({ ...fields, ...failure.reason }, `${noun} not sent, will be retried`);
    await store.giveBack(item, Math.min(pauseAfter(item.attempt), endsAt - store.now()), why);
  }

  store.handle(kind, async item => {
    sending++;
    await deliver(item).finally(() => sending--);
  });

  return {
    get state() {
      return tally.stateWith(sending);
    },
    async enqueue(purpose, message, { lifetimeMs, instead } = {}) {
      const parcel = { by: kind, content: message, lifetimeMs };
      const item = { kind, purpose, recipient: mask(message), parcel };
      if (!instead) {
        await store.add(item);
        return;
      }
      instead.isReplaced = true;
      // Another process has the work now and makes a message of its own.
      if (!(await store.replace(instead, item))) await reportUndelivered(message, purpose);
    },
    async drain(timeoutMs) {
      const unfinished = (await store.drain(timeoutMs)).filter(item => item.kind === kind);
      const undelivered = isDrained ? 0 : unfinished.length + (store.polls ? 0 : failedTries);
      isDrained = true;
      return { undelivered };
    },
    settled: () => store.settled(),
  };
}
