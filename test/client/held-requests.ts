import type { RequestHandler } from 'express';

/** A request that waits before the server sees it, or whose response waits before the client sees it. */
export interface Held {
  /** Resolves when it waits. */
  here: Promise<void>;
  release(): void;
}

/** Holds requests to paths of an app up, so that a test decides on their order. */
export function heldRequests() {
  const waiting: { path: string; where: 'request' | 'response'; arrive(): void; released: Promise<void> }[] =
    [];

  function hold(where: 'request' | 'response', path: string): Held {
    const here = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    waiting.push({ path, where, arrive: here.resolve, released: released.promise });
    return { here: here.promise, release: released.resolve };
  }

  const handler: RequestHandler = (req, res, next) => {
    const at = waiting.findIndex(({ path }) => req.path === path);
    const [held] = at < 0 ? [] : waiting.splice(at, 1);
    if (!held) return next();
    if (held.where === 'request') {
      held.arrive();
      return void held.released.then(() => next());
    }
    const end = res.end.bind(res) as (...parts: unknown[]) => unknown;
    res.end = ((...parts: unknown[]) => {
      held.arrive();
      void held.released.then(() => end(...parts));
      return res;
    }) as typeof res.end;
    next();
  };

  return {
    handler,
    /** Holds the next request to this path, before it is served. */
    request: (path: string) => hold('request', path),
    /** Holds the response to the next request to this path, after it was served. */
    response: (path: string) => hold('response', path),
  };
}
