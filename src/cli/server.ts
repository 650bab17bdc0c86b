import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatehouseError } from '../errors.ts';
import type { Gatehouse } from '../gatehouse.ts';
import type { HostRequest } from '../http/host-request.ts';
import { namedPaths } from '../http/named-paths.ts';
import { type NodeHandler, NodeRequest, pathOf, toNodeHandler } from '../http/node.ts';
import { clientAddress, trustOf } from '../http/proxies.ts';
import { jsonResponse, problemResponse } from '../http/response.ts';
import { sendResponse } from '../http/send.ts';
import type { Logger } from '../logger.ts';
import { createLanguages } from '../words/languages.ts';
import { boundConnections } from './connections.ts';
import { createServer, listen } from './listen.ts';
import { createProxyWarning, identifyRequest, logRequest } from './request-log.ts';

export interface Server {
  /** Where it listens: `http://127.0.0.1:8000`; empty if it does not listen itself. */
  url: string;
  /** Whether it was asked to stop, so that the load balancer should send requests elsewhere. */
  isStopping(): boolean;
  /**
   * Closes connections after each response from now on, and reports that it is not ready, so that a load balancer sends
   * requests elsewhere. With `isReady` the port stays ready, because another process serves it.
   */
  leave(isReady?: boolean): void;
  /** Graceful shutdown: accepts nothing new, lets requests in progress finish (ten seconds at most), and resolves. */
  stop(): Promise<void>;
}

/** How long a stop waits for requests in progress, in milliseconds. */
const drainMs = 10_000;
/** How long clients of open connections are asked to close them before they are closed, in milliseconds. */
const farewellMs = 250;
/**
 * How long a stop waits for connections without a request in progress, in milliseconds: browsers open some that they may
 * never use.
 */
const silentMs = 1000;
/** The resources that clients may take from a process, whatever they send. */
const clientBounds = {
  /** How long a client may take to send its request, in milliseconds; then it receives 408 and is disconnected. */
  requestTimeoutMs: 30_000,
  /** The most simultaneous connections: some twelve KiB each while they are idle. */
  connections: 16_000,
};

interface ServerOptions {
  bounds?: typeof clientBounds;
  /** Gives the server connections that the supervisor accepts, instead of listening. */
  open?: ((server: HttpServer) => void) | undefined;
  /** Serves paths that are not Gatehouse's own, and passes the others on. */
  others?: NodeHandler | undefined;
}

/**
 * Starts the host application that `svc serve` is: the router, health checks, a request log, and problem documents instead
 * of HTML error pages.
 */
export async function startServer(
  gatehouse: Gatehouse,
  logger: Logger,
  { bounds = clientBounds, open, others: more }: ServerOptions = {},
): Promise<Server> {
  const { config } = gatehouse;
  const { requestTimeoutMs } = bounds;
  let stopping = false;
  let leaving = false;
  const isReady = createReadiness(gatehouse, logger);

  const { handler, notFoundPage } = gatehouse;
  const languages = createLanguages(config);
  const healthy = async () => jsonResponse(200, { status: 'ok' });
  const ready = async () => {
    const isUp = !stopping && (await isReady());
    return jsonResponse(isUp ? 200 : 503, { status: isUp ? 'ready' : 'not_ready' });
  };
  const health = namedPaths('', { healthz: healthy, readyz: ready }, logger);

  const timeouts = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    keepAliveTimeout: config.keepAliveSeconds * 1000,
  };
  const isTrusted = trustOf(config.trustedProxies);
  const clientOf = clientAddress(isTrusted);
  const fail = (req: IncomingMessage, res: ServerResponse, error: unknown) =>
    sendResponse(res, problemResponse(new NodeRequest(req, clientOf, languages), error, logger));
  const serveHealth = toNodeHandler(health, { clientOf, languages, logger });
  /** Paths that are not Gatehouse's own: health checks, and unknown ones. */
  function others(req: IncomingMessage, res: ServerResponse): void {
    serveHealth(req, res, () => {
      if (more) more(req, res, error => (error ? fail(req, res, error) : unknown(req, res)));
      else unknown(req, res);
    });
  }
  function unknown(req: IncomingMessage, res: ServerResponse): void {
    const notFound = () => fail(req, res, new GatehouseError('not_found'));
    if (isBelow(config.uiPrefix, req))
      notFoundPage(req, res, error => (error ? fail(req, res, error) : notFound()));
    else notFound();
  }
  const warnOfUntrustedProxy = createProxyWarning(isTrusted, logger);

  /** All that precedes the routes is one function and one listener: this is a part of every session check. */
  function serve(req: IncomingMessage, res: ServerResponse): void {
    const startedAt = performance.now();
    connections.begin(req.socket, res);
    res.on('close', () => {
      connections.end(req.socket, res);
      logRequest(req, res, startedAt, logger);
    });
    identifyRequest(req, isTrusted);
    warnOfUntrustedProxy(req);
    if (leaving) closeAfter(res);
    if (hasTwoHosts(req)) refuse(req, res);
    else handler(req, res, error => (error ? fail(req, res, error) : others(req, res)));
  }
  const server = createServer(
    {
      ...timeouts,
      connectionsCheckingInterval: requestTimeoutMs / 6,
      // A request without a body needs no stream of one, which costs a tenth of a session check; Node 22 ignores it.
      optimizeEmptyRequests: true,
    },
    serve,
  );
  const connections = boundConnections(server, bounds.connections);
  if (open) open(server);
  const url = open ? '' : await listen(server, config.host, config.port);

  function leave(isReady = false): void {
    leaving = true;
    stopping = !isReady;
    for (const res of connections.listResponses()) closeAfter(res);
  }
  return {
    url,
    isStopping: () => stopping,
    leave,
    async stop() {
      if (!leaving) leave();
      // Closing a connection that its client is about to use would fail that request.
      if (connections.count > 0) await sleep(farewellMs);
      const closed = new Promise(resolve => server.close(resolve));
      const timers = [
        setTimeout(connections.closeSilent, silentMs),
        setTimeout(connections.closeAll, drainMs),
      ];
      await Promise.all([closed, connections.waitUntilEmpty()]);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Returns whether a request names its host more than once (RFC 9112 §3.2): a proxy may have read the other one. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count > 1;
}

/** Answers as Node does where a request has no Host, and ends the connection. */
function refuse({ replyHeaders }: HostRequest, res: ServerResponse): void {
  res.writeHead(400, { ...replyHeaders, Connection: 'close' });
  res.end();
}

/** Makes the client open a new connection, to another server, for its next request. */
function closeAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** Returns a check of whether requests can be served, which logs when that changes. */
function createReadiness(gatehouse: Gatehouse, logger: Logger): () => Promise<boolean> {
  let reported = 'ready';
  return async () => {
    const { isReady, database, schema, reason } = await gatehouse.readiness();
    // One outage produces several reasons, one after another; only the first is logged.
    const state = isReady ? 'ready' : database === 'ok' ? schema : 'unavailable';
    if (state !== reported) {
      reported = state;
      if (isReady) logger.info({}, 'ready again');
      else logger.warn({}, `not ready: ${reason}`);
    }
    return isReady;
  };
}

const isBelow = (prefix: string, { url = '/' }: IncomingMessage): boolean =>
  pathOf(url) === prefix || pathOf(url).startsWith(`${prefix}/`);
