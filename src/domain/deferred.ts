import type { Logger } from '../logger.ts';
import { masked } from '../mail/messages.ts';
import type { HeldWork } from '../outgoing/attempt.ts';
import type { MessageStore } from '../outgoing/store.ts';
import { nameStoredWork } from '../outgoing/stored-work.ts';
import type { Background } from './background.ts';

export type Deferred = ReturnType<typeof createDeferred>;

/** What deferred work gets; all of it is stored, so that another process can do the work. */
interface Request {
  /** The address that the email would go to. */
  email: string;
}

/** How deferred work is being done. */
interface How<K> {
  /** What the request has read already; absent when the work is done by another process, or again. */
  known?: K | undefined;
  /** With stored deliveries: the row whose place the email takes. */
  instead?: HeldWork | undefined;
}

interface DeferredParts {
  background: Background;
  /** Absent while emails wait in memory. */
  store: MessageStore | undefined;
  logger: Logger;
}

/**
 * Work after the response that makes at most one email, where the response must not tell whether it does (account
 * enumeration, timing attack). With stored deliveries (CONTRACT §12.1) the request is a row before the response, for every
 * address, and the email takes its place: so nothing that was acknowledged is lost, and every request writes one row.
 */
export const createDeferred = ({ background, store, logger }: DeferredParts) => ({
  /** Names work by which an email of this purpose is made. Returns the function that begins it. */
  define<I extends Request, K = undefined>(
    name: string,
    purpose: string,
    work: (request: I, how: How<K>) => Promise<void>,
  ): (request: I, known?: K, requestId?: string) => Promise<void> {
    if (!store) {
      return async (request, known, requestId) =>
        background.run(name, requestId, () => work(request, { known }));
    }
    const run = nameStoredWork(store, name, (content, instead) => work(content as I, { instead }), logger);
    return async (request, known, requestId) => {
      const recipient = masked(request.email);
      const parcel = { by: name, content: request };
      const item = await store.hold({ kind: 'mail', purpose, recipient, parcel });
      background.run(name, requestId, () => run(item, instead => work(request, { known, instead })));
    };
  },
});
