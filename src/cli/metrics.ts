import type { ServerResponse } from 'node:http';
import type { Gatehouse } from '../gatehouse.ts';
import { jsonResponse } from '../http/response.ts';
import { sendResponse } from '../http/send.ts';
import type { Logger } from '../logger.ts';
import { statusOnWire } from '../observability/status.ts';
import { createServer, end, listen } from './listen.ts';
import type { Server } from './server.ts';

/** The listener of the metrics. */
type Metrics = Pick<Server, 'url' | 'stop'>;

/** How long a stop waits for requests for metrics in progress, in milliseconds. */
const drainMs = 1000;

/**
 * Serves what operators read, on a separate listener that should not be public: `/metrics` for Prometheus, and `/readyz`
 * with the state of every part.
 */
export async function startMetrics(gatehouse: Gatehouse, main: Server, logger: Logger): Promise<Metrics> {
  const { config, metrics } = gatehouse;

  async function readyz(res: ServerResponse): Promise<void> {
    const status = statusOnWire(await gatehouse.status());
    const shown = main.isStopping() ? { ...status, status: 'not_ready', stopping: true } : status;
    sendResponse(res, jsonResponse(shown.status === 'not_ready' ? 503 : 200, shown));
  }

  async function serve(path: string | undefined, res: ServerResponse): Promise<void> {
    if (path === '/readyz') return readyz(res);
    if (path !== '/metrics' || !metrics) {
      return sendResponse(res, jsonResponse(404, { paths: ['/metrics', '/readyz'] }));
    }
    const text = await metrics.text();
    res.writeHead(200, { 'Content-Type': metrics.contentType }).end(text);
  }

  const server = createServer((req, res) => {
    const { method, url } = req;
    const route = url === '/metrics' || url === '/readyz' ? url : null;
    res.once('close', () => logger.debug({ method, route, status: res.statusCode }, 'request'));
    serve(url, res).catch(err => {
      logger.error({ err }, 'metrics could not be read');
      res.destroy();
    });
  });
  const url = await listen(server, config.metricsHost, config.metricsPort);
  return { url, stop: () => end(server, drainMs) };
}
