import type { ServerResponse } from 'node:http';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { GatehouseError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { OAuthRedirect, OAuthStartView } from '../services/views.ts';
import { answer, answerProblem } from './answer.ts';
import { readJson } from './body.ts';
import { callerOf } from './caller.ts';
import { cors } from './cors.ts';
import { createInput } from './input.ts';
import { type HostRequest, queryOf, type Route } from './route.ts';

interface RouterParts {
  routes: Route[];
  /** Paths of features that are off and that the specification wants answered as such, not left to the host. */
  absent: string[];
  corsOrigins: readonly string[];
  logger: Logger;
  /** The description of these routes, served at `/openapi.json`. */
  openApi: object;
  /** The GraphQL door, where it is open. */
  graphql?: (req: HostRequest, res: ServerResponse) => Promise<void>;
}

/** The REST door, and the way to the GraphQL door; what it doesn't know it leaves to the host. */
export function createRouter({ routes, absent, openApi, corsOrigins, logger, graphql }: RouterParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const allowOrigin = cors(corsOrigins);
  const handle =
    (work: (req: HostRequest, res: ServerResponse) => Promise<void>): RequestHandler =>
    async (req, res) => {
      try {
        await work(req as unknown as HostRequest, res);
      } catch (error) {
        answerProblem(req as unknown as HostRequest, res, error, logger);
      }
    };

  router.use((req, res, next) => {
    if (!allowOrigin(req as unknown as HostRequest, res)) next();
  });
  // Before the routes, none of which it could be: they are compared with a path one after the other.
  if (graphql) router.all('/graphql', handle(graphql));
  for (const route of routes) {
    router[verbs[route.method]](route.path, handle(serve(route)));
  }
  router.get(
    '/openapi.json',
    handle(async (_req, res) => answer(res, 200, openApi)),
  );
  router.all('/openapi.json', handle(refuseMethod(['GET', 'HEAD'])));
  for (const [path, methods] of methodsOf(routes)) router.all(path, handle(refuseMethod(methods)));
  for (const path of absent) router.all(path, handle(refusePath));
  router.use(onError(logger));
  return router;
}

const verbs = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

function serve(route: Route) {
  const input = createInput(route);
  return async (req: HostRequest, res: ServerResponse): Promise<void> => {
    req.routePattern = route.path;
    const body = route.method === 'GET' ? undefined : await readJson(req);
    const query = () => new URLSearchParams(queryOf(req));
    const result = await route.operation(callerOf(req), input({ body, params: req.params ?? {}, query }));
    if (route.status === 302) redirect(res, result as OAuthStartView | OAuthRedirect);
    else answer(res, route.status, result);
  };
}

async function refusePath(): Promise<void> {
  throw new GatehouseError('not_found');
}

/** A path whose percent-encoding is broken is nobody's. */
function onError(logger: Logger): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const thrown =
      error instanceof URIError || error?.status === 400 ? new GatehouseError('not_found') : error;
    answerProblem(req as unknown as HostRequest, res, thrown, logger);
  };
}

/** No address of a flow may be kept, or passed on to the page it leads to. */
function redirect(res: ServerResponse, result: OAuthStartView | OAuthRedirect): void {
  const location = 'location' in result ? result.location : result.authorization_url;
  res.writeHead(302, { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  res.end();
}

function methodsOf(routes: Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const own = method === 'GET' ? ['GET', 'HEAD'] : [method];
    methods.set(path, [...(methods.get(path) ?? []), ...own]);
  }
  return methods;
}

/** RFC 9110 §15.5.6; OPTIONS is answered with the same list. */
function refuseMethod(methods: string[]) {
  const allow = [...methods, 'OPTIONS'].join(', ');
  return async (req: HostRequest, res: ServerResponse): Promise<void> => {
    res.setHeader('Allow', allow);
    if (req.method !== 'OPTIONS') throw new GatehouseError('method_not_allowed');
    res.writeHead(204);
    res.end();
  };
}
