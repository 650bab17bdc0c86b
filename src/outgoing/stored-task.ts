import type { Logger } from '../logger.ts';
import { backoffMs } from './attempt.ts';
import { loggable } from './delivery-error.ts';
import type { Job } from './job.ts';
import type { JobStore } from './job-store.ts';
import type { ClaimedTask } from './message-queue.ts';

/** Does a stored task. The message that it makes replaces the task in its row. */
type Work = (content: unknown, task: ClaimedTask) => Promise<void>;

/**
 * Defines a task that is stored before a response and runs after it. Returns a function by which the process that stored
 * it runs it; a process that claims it later does `work`.
 */
export function defineStoredTask(store: JobStore, name: string, work: Work, logger: Logger) {
  /** Deletes the row afterwards, unless a message has replaced the task. After a failure the task is retried. */
  async function run(job: Job, work: (task: ClaimedTask) => Promise<void>): Promise<void> {
    const { id, kind, lease, attempt, endsAt, payload } = job;
    const task = { id, kind, lease, isReplaced: false };
    if (store.now() >= endsAt) {
      await store.deadLetter(job, 'expired: it was not done in time');
      return;
    }
    try {
      await work(task);
      if (!task.isReplaced) await store.discard(job);
    } catch (error) {
      const { code } = loggable(error);
      logger.warn({ task: payload.by, code }, 'work after a response failed, will be retried');
      await store.release(job, backoffMs(attempt), code);
    }
  }
  store.handle(name, job => run(job, task => work(job.payload.content, task)));
  return run;
}
