import type { Server as HttpServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { isInMemory } from '../config/database-url.ts';
import { isLoopbackHost } from '../config/loopback.ts';
import type { Config } from '../config/schema.ts';
import type { Logger } from '../logger.ts';
import { developmentSettings } from './development.ts';
import { CommandError } from './errors.ts';
import { finishStart } from './finish-start.ts';
import { localUrl, sayListening } from './first-steps.ts';
import { type FileOptions, loadSettings, withFiles } from './settings.ts';
import { ignoreSignals, surviveHangup, waitForSignal } from './signals.ts';
import { createNotifier } from './systemd.ts';
import {
  announceReady,
  leaveSupervisor,
  serveConnections,
  waitForDrainOrder,
  workerPlace,
} from './worker.ts';
import { superviseWorkers } from './workers.ts';

interface ServeOptions extends FileOptions {
  host?: string;
  port?: number;
  /** Undefined: this process serves, without a supervisor. */
  workers?: number;
  dev?: boolean;
}

/** How often expired rows are removed, in milliseconds. */
const purgeEveryMs = 3_600_000;

/** More would only wait for each other. */
const mostWorkers = 64;

export function addServe(program: Command): void {
  withFiles(program.command('serve'))
    .description('run as a standalone server')
    .option('--host <address>', 'where to listen (default: host of the configuration)')
    .option('--port <number>', 'on which port (default: port of the configuration)', toPort)
    .option(
      '--workers <number>',
      'number of processes under a supervisor, which replaces them on SIGHUP (default: one, without a supervisor)',
      toCount,
    )
    .option(
      '--dev',
      'for development: pages, console, strong sign-in, GraphQL IDE, introspection, and an inbox of emails; loopback only',
    )
    .action((options: ServeOptions) => serve(options).finally(leaveSupervisor));
}

async function serve({ dev = false, host, port, workers, ...files }: ServeOptions): Promise<void> {
  const place = workerPlace();
  // The supervisor of a worker has printed all this already.
  const say = place > 0 ? () => {} : console.error;
  // Links in emails should lead to this server, on whichever port a developer runs it.
  const address = { host, port, ...(dev && port && { baseUrl: `http://localhost:${port}` }) };
  const given = dev ? (await loadSettings(files, address, () => {})).config : null;
  const { config: loaded, warnings } = await loadSettings(
    files,
    { ...address, ...(given && developmentSettings(given)) },
    say,
  );
  const isPortChosen = port !== undefined || Boolean(process.env.SVC_PORT);
  for (const warning of [...warnings, ...(isPortChosen ? misleadingLinks(loaded) : [])])
    say(`warning: ${warning}`);
  // Behind one shared address, each request would read the counts of another process: each has its own listener.
  const metricsPort = loaded.metricsPort && loaded.metricsPort + Math.max(0, place - 1);
  const config = { ...loaded, metricsPort };
  if (dev && !isLoopbackHost(config.host)) {
    throw new CommandError(
      `--dev shows emails and secrets, so it listens on loopback only, not on ${config.host}.`,
    );
  }
  if (config.behindProxy && config.trustedProxies.length === 0) {
    throw new CommandError(
      'behind_proxy is on, but trusted_proxies is empty, so all clients of the proxy would count as one: name the addresses of the proxy in trusted_proxies.',
    );
  }

  if (config.limitsDisabled && !isLoopbackHost(config.host)) {
    throw new CommandError(
      `limits_disabled lets anybody guess passwords, so it is for loopback only, not for ${config.host}. Remove it from the configuration.`,
    );
  }

  const { createLog, createTerminalLog } = await import('./log.ts');
  const write = (text: string) => void process.stdout.write(text);
  // An email on the console is lost when the disk is full, and the service goes on; the log says so.
  process.stdout.on('error', () => {});
  const isWatched = dev && process.stdout.isTTY;
  const logger = isWatched ? createTerminalLog(config.logLevel, write) : createLog(config.logLevel);
  if (workers === undefined || place > 0) return runInstance({ config, logger, write, workers, dev });

  if (isInMemory(config.databaseUrl.parsed())) {
    throw new CommandError('Each worker would have a database of its own: set database_url to a file.');
  }
  const { openPort } = await import('./port.ts');
  return superviseWorkers({
    count: workers,
    logger,
    open: () =>
      openPort(config.host, config.port).catch(error => {
        throw explainListen(error, config.host, config.port);
      }),
    onReady(url) {
      sayListening(url, dev, config);
      finishStart();
    },
  });
}

/** Returns a warning where links lead to another port of this machine than the one of this server. */
function misleadingLinks({ baseUrl, host, port }: Config): string[] {
  const url = new URL(baseUrl);
  const linked = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  // A port that the system chooses is one that a program reads from the output.
  if (!isLoopbackHost(url.hostname) || port === linked || port === 0) return [];
  return [
    `Links in emails and redirects lead to ${baseUrl}, and this server listens on ${host}:${port}: set base_url (SVC_BASE_URL) unless something forwards to it.`,
  ];
}

interface InstanceOptions {
  config: Config;
  logger: Logger;
  write: (text: string) => void;
  /** How many processes like this one a supervisor runs; undefined without one. */
  workers: number | undefined;
  dev: boolean;
}

/** Serves in this process, which may be one of several workers, until it is asked to stop. */
async function runInstance({ config, logger, write, workers, dev }: InstanceOptions): Promise<void> {
  const notify = createNotifier(logger);
  const place = workerPlace();
  const isWorker = place > 0;
  if (isWorker) ignoreSignals();
  else surviveHangup(logger);

  const [{ assemble }, { startServer }, { startMetrics }] = await Promise.all([
    import('../gatehouse.ts'),
    import('./server.ts'),
    import('./metrics.ts'),
  ]);
  // Each worker would have an inbox of its own.
  const development =
    dev && !isWorker
      ? await (await import('./dev/open.ts')).openDevelopment(config, { logger, write })
      : undefined;
  const gatehouse = await assemble(config, { logger, write, processes: workers, ...development?.parts });
  try {
    await gatehouse.assertFiles();
    await gatehouse.installSchema();
  } catch (error) {
    await gatehouse.close();
    throw error;
  }
  const open = isWorker ? (server: HttpServer) => serveConnections(server) : undefined;
  const attached = development?.attach(gatehouse);
  const server = await startServer(gatehouse, logger, { open, others: attached?.handler }).catch(
    async error => {
      await gatehouse.close();
      throw explainListen(error, config.host, config.port);
    },
  );

  const metrics = config.enableMetrics
    ? await startMetrics(gatehouse, server, logger).catch(async error => {
        await server.stop();
        await gatehouse.close();
        throw explainListen(error, config.metricsHost, config.metricsPort, 'metrics_');
      })
    : null;

  const shutdownDelayMs = config.shutdownDelaySeconds * 1000;
  // Before the URL is announced: a client that reads it may stop the server at once.
  const ended = isWorker ? waitForDrainOrder(server.leave) : waitForSignal();
  if (metrics) console.log(`metrics on ${metrics.url}/metrics`);
  if (isWorker) announceReady({ shutdownDelayMs });
  else {
    sayListening(server.url, dev, config, await attached?.lines(localUrl(server.url)));
    void notify('READY=1');
  }
  finishStart();

  const purge = setInterval(() => {
    // One process of several does this for all.
    if (place > 1) return;
    gatehouse.purgeExpired().catch(err => logger.warn({ err }, 'expired rows could not be removed'));
  }, purgeEveryMs);
  const signal = await ended;
  clearInterval(purge);
  logger.info({ ...(isWorker ? { worker: place } : { signal }) }, 'stopping');
  if (!isWorker) {
    void notify('STOPPING=1');
    server.leave();
    await sleep(shutdownDelayMs);
  }
  development?.close();
  await server.stop();
  await metrics?.stop();
  await gatehouse.close();
  logger.info({ ...(isWorker && { worker: place }) }, 'stopped');
}

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}

function toCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > mostWorkers)
    throw new InvalidArgumentError(`It must be a number from 1 to ${mostWorkers}.`);
  return count;
}

/** Returns what to do about an address that cannot be used; `prefix` precedes the names of its fields. */
function explainListen(error: unknown, host: string, port: number, prefix = ''): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE') {
    const how = prefix ? `set ${prefix}port to another` : 'choose another with --port';
    return new CommandError(`${host}:${port} is in use. Stop the process that listens there, or ${how}.`);
  }
  if (code === 'EACCES')
    return new CommandError(`This user may not listen on port ${port}. Choose one above 1023.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const how = prefix ? `Change ${prefix}host.` : 'Change host, or give --host.';
    return new CommandError(`${host} is not an address of this machine. ${how}`);
  }
  return error;
}
