import type { HttpHandler } from './message.ts';

/** A handler, and the prefix of the paths that it serves. */
export interface Mounted {
  prefix: string;
  handler: HttpHandler;
}

/** Returns one handler for all prefixes: the first one that knows a path serves it. */
export function createSite(mounted: readonly Mounted[]): HttpHandler {
  return (request, path) => {
    for (const { prefix, handler } of mounted) {
      if (!path.startsWith(prefix)) continue;
      const rest = path.slice(prefix.length);
      if (rest !== '' && !rest.startsWith('/')) continue;
      const response = handler(request, rest);
      if (response) return response;
    }
    return null;
  };
}
