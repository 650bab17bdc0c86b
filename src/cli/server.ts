import type { Server as HttpServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { GatehouseError, storageReason } from '../errors.ts';
import type { Gatehouse } from '../gatehouse.ts';
import type { Logger } from '../logger.ts';
import { answer, answerProblem, requestIdOf } from '../rest/answer.ts';
import type { HostRequest } from '../rest/route.ts';
import { boundConnections } from './connections.ts';
import { createServer, end, listen } from './listen.ts';

export interface Server {
  /** Where it listens: `http://127.0.0.1:8000`. */
  url: string;
  /** Whether it was asked to stop. */
  isStopping(): boolean;
  /** Accepts nothing new, lets what is under way finish (ten seconds at most), and resolves. */
  stop(): Promise<void>;
}

/** How long a stop waits for requests under way, in milliseconds. */
const drainMs = 10_000;
/** How long connections that stay open are told to close before they are closed, in milliseconds. */
const farewellMs = 250;
/**
 * How long a stop waits for connections without a request under way, in milliseconds: browsers open some that they may
 * never use.
 */
const silentMs = 1000;
/** What clients may take of a process, whatever they are up to. */
const clientBounds = {
  /** How long one may take to send its request, in milliseconds; then it is answered 408 and cut off. */
  requestTimeoutMs: 30_000,
  /** Connections at once: some twelve KiB each while they are silent. */
  connections: 16_000,
};

/** The host that `svc serve` is: the router, health, a request log, and problems instead of pages of errors. */
export async function startServer(
  gatehouse: Gatehouse,
  logger: Logger,
  { requestTimeoutMs, connections } = clientBounds,
): Promise<Server> {
  const { config } = gatehouse;
  let stopping = false;
  const isReady = createReadiness(gatehouse, logger);

  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', config.trustedProxies.length > 0 ? [...config.trustedProxies] : false);
  app.use(requestLog(logger));
  app.use((_req, res, next) => {
    if (stopping) res.setHeader('Connection', 'close');
    next();
  });
  app.get('/healthz', (_req, res) => answer(res, 200, { status: 'ok' }));
  app.get('/readyz', async (_req, res) => {
    const ready = !stopping && (await isReady());
    answer(res, ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready' });
  });
  app.use(config.apiPrefix, gatehouse.router);
  app.use(config.uiPrefix, gatehouse.uiRouter);
  app.use(config.staticPrefix, gatehouse.staticFiles);
  app.use(config.uiPrefix, gatehouse.notFoundPage);
  app.use((req, res) => answerProblem(asHost(req), res, new GatehouseError('not_found'), logger));
  const onError: ErrorRequestHandler = (error, req, res, _next) =>
    answerProblem(asHost(req), res, error, logger);
  app.use(onError);

  const timeouts = { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs };
  const server = createServer({ ...timeouts, connectionsCheckingInterval: requestTimeoutMs / 6 }, app);
  const closeSilent = boundConnections(server, connections);
  return {
    url: await listen(server, config.host, config.port),
    isStopping: () => stopping,
    async stop() {
      stopping = true;
      await sayFarewell(server);
      const timer = setTimeout(closeSilent, silentMs);
      await end(server, drainMs);
      clearTimeout(timer);
    },
  };
}

/**
 * While connections are open, their clients are told to open others, elsewhere: to close one under a client that is
 * about to use it would fail that request.
 */
async function sayFarewell(server: HttpServer): Promise<void> {
  const open = await new Promise<number>(resolve => server.getConnections((_, count) => resolve(count)));
  if (open > 0) await sleep(farewellMs);
}

/** Asks whether requests can be served, and tells the log when that changes. */
function createReadiness(gatehouse: Gatehouse, logger: Logger): () => Promise<boolean> {
  const reasons = {
    current: null,
    ahead: 'a newer version has migrated the database: run that one',
    behind: 'the schema of the database is behind: run svc migrate',
  };
  let told = 'current';
  /** One outage has many reasons, one after the other; the first is told. */
  function tell(state: string, reason: string | null): void {
    if (state === told) return;
    told = state;
    if (reason === null) logger.info({}, 'ready again');
    else logger.warn({}, `not ready: ${reason}`);
  }
  return async () => {
    try {
      await gatehouse.ping();
      const state = await gatehouse.schemaState();
      tell(state, reasons[state]);
      return state === 'current';
    } catch (error) {
      tell('away', storageReason(error) ?? 'the database does not answer');
      return false;
    }
  };
}

const asHost = (req: unknown) => req as HostRequest;

/**
 * One record a request: the pattern of its route and never its path, because paths and queries can hold addresses
 * and tokens.
 */
function requestLog(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const request_id = requestIdOf(asHost(req));
    res.setHeader('X-Request-Id', request_id);
    res.once('close', () => {
      const route = asHost(req).routePattern ?? (req.route?.path as string | undefined) ?? null;
      const duration_ms = Math.round((performance.now() - startedAt) * 10) / 10;
      const fields = { request_id, method: req.method, route, status: res.statusCode, duration_ms };
      logger.info(res.writableFinished ? fields : { ...fields, aborted: true }, 'request');
    });
    next();
  };
}
