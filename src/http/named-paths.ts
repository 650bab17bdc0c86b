import type { Logger } from '../logger.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from './message.ts';
import { hasPlainPath } from './plain-path.ts';
import { refuseMethod } from './response.ts';

/** Returns the response of one path, which is only read. */
export type Work = (request: HttpRequest) => Promise<HttpResponse>;

export const isReading = ({ method }: HttpRequest) => method === 'GET' || method === 'HEAD';

/**
 * Returns a handler of these names below a prefix; other paths, and those with several readings, are left to the host
 * application.
 */
export function namedPaths(prefix: string, works: Record<string, Work>, logger: Logger): HttpHandler {
  const byPath = new Map(Object.entries(works).map(([name, work]) => [`/${name}`, work]));
  return (request, path) => {
    const work = byPath.get(path);
    if (!work || !hasPlainPath(request.target)) return null;
    request.route = `${prefix}${path}`;
    return isReading(request) ? work(request) : Promise.resolve(refuseMethod(request, 'GET, HEAD', logger));
  };
}
