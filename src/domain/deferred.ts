import type { Logger } from '../logger.ts';
import { masked } from '../mail/define.ts';
import type { JobStore } from '../outgoing/job-store.ts';
import type { ClaimedTask } from '../outgoing/message-queue.ts';
import { defineStoredTask } from '../outgoing/stored-task.ts';
import type { Background } from './background.ts';

export type Deferred = ReturnType<typeof createDeferred>;

/** The input of deferred work. It is stored, so that another process can do the work. */
interface Request {
  /** The address that the email would go to. */
  email: string;
}

/** A request for a link. */
export interface LinkRequest extends Request {
  ip: string | null;
  requestId: string | undefined;
}

/** The circumstances of deferred work. */
interface Context<K> {
  /** Rows that the request has read already; absent when another process does the work, or repeats it. */
  known?: K | undefined;
  /** The stored task, which the email replaces; absent while emails wait in memory. */
  task?: ClaimedTask | undefined;
}

interface DeferredParts {
  background: Background;
  /** Absent while emails wait in memory. */
  store: JobStore | undefined;
  logger: Logger;
}

/**
 * Work after a response that makes at most one email, where the response must not tell whether it does (account
 * enumeration, timing attack). With stored deliveries (CONTRACT §12.1) every request stores a task before its response,
 * whatever its address, and the email replaces the task. So no acknowledged request is lost.
 */
export const createDeferred = ({ background, store, logger }: DeferredParts) => ({
  /** Defines work that makes an email of this purpose. Returns the function that starts it. */
  define<I extends Request, K = undefined>(
    name: string,
    purpose: string,
    work: (request: I, context: Context<K>) => Promise<void>,
  ): (request: I, known?: K, requestId?: string) => Promise<void> {
    if (!store) {
      return async (request, known, requestId) =>
        background.run(name, requestId, () => work(request, { known }));
    }
    const run = defineStoredTask(store, name, (content, task) => work(content as I, { task }), logger);
    return async (request, known, requestId) => {
      const recipient = masked(request.email);
      const payload = { by: name, content: request };
      const job = await store.addClaimed({ kind: 'mail', purpose, recipient, payload });
      background.run(name, requestId, () => run(job, task => work(request, { known, task })));
    };
  },
});
