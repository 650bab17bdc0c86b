import type { Logger } from '../logger.ts';
import { type HeldWork, pauseAfter } from './attempt.ts';
import { loggable } from './delivery-error.ts';
import type { Item } from './item.ts';
import type { MessageStore } from './store.ts';

/** Does stored work; the message that it makes takes the row (`instead`). */
type Work = (content: unknown, instead: HeldWork) => Promise<void>;

/**
 * Names work that is stored before a response and runs after it. Returns a function that runs it, for the process that has
 * stored it; a process that finds it later runs it as it was named.
 */
export function nameStoredWork(store: MessageStore, name: string, work: Work, logger: Logger) {
  /** Deletes the row afterwards, unless a message has taken it. A failure is logged, and the work is done again later. */
  async function run(item: Item, work: (instead: HeldWork) => Promise<void>): Promise<void> {
    const { id, kind, lease, attempt, endsAt, parcel } = item;
    const instead = { id, kind, lease, isReplaced: false };
    if (store.now() >= endsAt) {
      await store.bury(item, 'expired: it was not done in time');
      return;
    }
    try {
      await work(instead);
      if (!instead.isReplaced) await store.cancel(item);
    } catch (error) {
      const { code } = loggable(error);
      logger.warn({ task: parcel.by, code }, 'work after a response failed, will be retried');
      await store.giveBack(item, pauseAfter(attempt), code);
    }
  }
  store.handle(name, item => run(item, instead => work(item.parcel.content, instead)));
  return run;
}
