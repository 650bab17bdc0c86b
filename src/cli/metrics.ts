import type { ServerResponse } from 'node:http';
import type { Gatehouse } from '../gatehouse.ts';
import type { Logger } from '../logger.ts';
import { answer } from '../rest/answer.ts';
import { createServer, end, listen } from './listen.ts';
import type { Server } from './server.ts';

/** How long a stop waits for who is reading metrics, in milliseconds. */
const drainMs = 1000;

/**
 * What operators read, on a listener of its own that strangers don't reach: `/metrics` for Prometheus, and `/readyz`
 * with every part by its name.
 */
export async function startMetrics(gatehouse: Gatehouse, main: Server, logger: Logger): Promise<Server> {
  const { config, metrics } = gatehouse;

  async function readyz(res: ServerResponse): Promise<void> {
    const status = await gatehouse.status();
    const shown = main.isStopping() ? { ...status, status: 'not_ready', stopping: true } : status;
    answer(res, shown.status === 'not_ready' ? 503 : 200, shown);
  }

  async function serve(path: string | undefined, res: ServerResponse): Promise<void> {
    if (path === '/readyz') return readyz(res);
    if (path !== '/metrics' || !metrics) return answer(res, 404, { paths: ['/metrics', '/readyz'] });
    const text = await metrics.text();
    res.writeHead(200, { 'Content-Type': metrics.contentType }).end(text);
  }

  const server = createServer((req, res) => {
    serve(req.url, res).catch(err => {
      logger.error({ err }, 'metrics could not be read');
      res.destroy();
    });
  });
  const url = await listen(server, config.metricsHost, config.metricsPort);
  return { url, isStopping: main.isStopping, stop: () => end(server, drainMs) };
}
