import type { OAuthRedirect, OAuthStartView } from '../contract/views/oauth.ts';
import { ProtocolRefusal } from '../domain/protocol.ts';
import { GatehouseError } from '../errors.ts';
import { languageHeader } from '../http/answer.ts';
import { callerOf } from '../http/caller.ts';
import type { Answers } from '../http/feature-answers.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../http/message.ts';
import { hasPlainPath } from '../http/plain-path.ts';
import { jsonResponse, logFailure, problemResponse, redirectTo, refuseMethod } from '../http/response.ts';
import type { Logger } from '../logger.ts';
import { cors, foreignOriginLog } from './cors.ts';
import { createInput } from './input.ts';
import { createPaths, type PathParameters } from './paths.ts';
import { isRedirect, type Route } from './route.ts';

interface RouterParts {
  routes: Route[];
  /**
   * Paths of disabled features to which the specification requires a response of the API, instead of leaving them to the
   * host application.
   */
  absent: string[];
  /** The origin of the service itself while it is in development, where every other one is named in the log; else null. */
  developedAt: string | null;
  corsOrigins: readonly string[];
  /** Returns the header by which a browser keeps a token, or forgets it; absent while no operation has it do so. */
  setCookie: ((token: string | null) => string) | undefined;
  logger: Logger;
  /** Returns the description of these routes, served at `/openapi.json`. */
  openApi: () => object;
  /** Paths that are of no operation, each with what answers there. */
  answers: Answers;
  /** The GraphQL interface, if it is enabled. */
  graphql?: ((request: HttpRequest) => Promise<HttpResponse>) | undefined;
}

type Work = (request: HttpRequest, params: PathParameters) => Promise<HttpResponse>;

/** The work of a path of the API: by method, or for every method. */
interface Resource {
  methods: Map<string, Work>;
  otherwise: Work;
  /** Whether a feature answers by itself: then no preflight is answered here. */
  isOfFeature?: boolean;
}

/** Returns the API: REST, and GraphQL at `/graphql`. Unknown paths are left to the host application. */
export function createApi({
  routes,
  absent,
  openApi,
  developedAt,
  corsOrigins,
  setCookie,
  answers,
  logger,
  graphql,
}: RouterParts): HttpHandler {
  const crossOrigin = cors(corsOrigins);
  const noteOrigin = developedAt === null ? null : foreignOriginLog([developedAt, ...corsOrigins], logger);
  const paths = createPaths<Resource>();
  for (const [path, methods] of methodsOf(routes, logger)) {
    paths.add(path, { methods, otherwise: refuseMethods([...methods.keys()], logger) });
  }
  let description: HttpResponse | undefined;
  const describe: Work = async () => (description ??= jsonResponse(200, openApi()));
  paths.add('/openapi.json', {
    methods: new Map([['GET', describe]]),
    otherwise: refuseMethods(['GET'], logger),
  });
  if (graphql) paths.add('/graphql', { methods: new Map(), otherwise: graphql });
  for (const [path, { respond: otherwise }] of Object.entries(answers))
    paths.add(path, { methods: new Map(), otherwise, isOfFeature: true });
  for (const path of absent) paths.add(path, { methods: new Map(), otherwise: refusePath });

  async function respond(work: Work, request: HttpRequest, params: PathParameters): Promise<HttpResponse> {
    try {
      // Otherwise it matched a route by a parameter that a proxy would have read as something else.
      const response = await (hasPlainPath(request.target) ? work(request, params) : refusePath());
      const { browserToken: token } = request;
      if (token === undefined || !setCookie) return response;
      return withHeaders(response, { 'Set-Cookie': setCookie(token) });
    } catch (error) {
      return problemResponse(request, error, logger);
    }
  }

  return (request, path) => {
    const found = paths.find(path);
    if (!found) return null;
    const origin = found.resource.isOfFeature ? undefined : crossOrigin?.(request);
    if (origin?.preflight) return Promise.resolve(withHeaders(origin.preflight, origin.headers));
    noteOrigin?.(request);
    request.route = found.pattern;
    const { methods, otherwise } = found.resource;
    const work = methods.get(request.method === 'HEAD' ? 'GET' : request.method) ?? otherwise;
    const response = respond(work, request, found.params);
    return origin ? response.then(each => withHeaders(each, origin.headers)) : response;
  };
}

const withHeaders = ({ headers, ...response }: HttpResponse, more: Record<string, string>): HttpResponse => ({
  ...response,
  headers: { ...more, ...headers },
});

/** Returns the methods of each path, and what they do. */
function methodsOf(routes: Route[], logger: Logger): Map<string, Map<string, Work>> {
  const paths = new Map<string, Map<string, Work>>();
  for (const route of routes) {
    const methods = paths.get(route.path) ?? new Map<string, Work>();
    paths.set(route.path, methods.set(route.method, serve(route, logger)));
  }
  return paths;
}

function serve(route: Route, logger: Logger): Work {
  const input = createInput(route);
  return async (request, params) => {
    const body = route.method === 'GET' ? undefined : await bodyOf(route, request);
    const query = () => new URLSearchParams(request.query);
    const call = () => route.operation(callerOf(request), input({ body, params, query }));
    if (route.isProtocol) {
      const success = (result: unknown): HttpResponse =>
        route.isEmpty ? { status: 200, headers: noStore, body: null } : jsonResponse(200, result);
      return call().then(success, protocolAnswer);
    }
    const result = await call().catch(error => {
      const page = pageInstead(route, request, error);
      if (page === null) throw error;
      logFailure(error, request.id, logger);
      return page;
    });
    if (isRedirect(route.status)) return redirect(result as OAuthStartView | OAuthRedirect, route.status);
    return route.status === 204 ? noContent : jsonResponse(route.status, result, languageHeader(request));
  };
}

/** Returns a refusal in the form of RFC 6749 §5.2; any other error is answered as everywhere. */
function protocolAnswer(error: unknown): HttpResponse {
  if (!(error instanceof ProtocolRefusal)) throw error;
  const isClient = error.error === 'invalid_client';
  const challenge = isClient ? { 'WWW-Authenticate': 'Basic realm="gatehouse"' } : undefined;
  return jsonResponse(isClient ? 401 : 400, { error: error.error }, challenge);
}

const noStore = { 'Cache-Control': 'no-store' };

const bodyOf = ({ isForm }: Route, request: HttpRequest): Promise<unknown> =>
  isForm ? request.form() : request.json();

const noContent: HttpResponse = { status: 204, headers: noStore, body: null };

/** Returns where a browser is redirected instead of this error, or null if the error is the response. */
function pageInstead({ pageAfter }: Route, request: HttpRequest, error: unknown): OAuthRedirect | null {
  const isBrowser = /\btext\/html\b/i.test(request.headers.accept ?? '');
  const location = isBrowser && error instanceof GatehouseError ? pageAfter(error) : null;
  return location === null ? null : { location };
}

/** Redirects. No address of a flow may be cached, or sent on as a referrer. */
const redirect = (result: OAuthStartView | OAuthRedirect, status: 302 | 303): HttpResponse =>
  redirectTo(
    'location' in result ? result.location : result.authorization_url,
    { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    status,
  );

async function refusePath(): Promise<never> {
  throw new GatehouseError('not_found');
}

/** Refuses every other method; the response to OPTIONS has the same list of methods. */
function refuseMethods(methods: string[], logger: Logger): Work {
  const allow = [...methods.flatMap(each => (each === 'GET' ? ['GET', 'HEAD'] : [each])), 'OPTIONS'].join(
    ', ',
  );
  return async request =>
    request.method === 'OPTIONS'
      ? { status: 204, headers: { Allow: allow }, body: null }
      : refuseMethod(request, allow, logger);
}
