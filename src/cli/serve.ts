import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config/schema.ts';
import { CommandError } from './errors.ts';
import { releaseStartMemory } from './memory.ts';
import { type FileOptions, loadSettings, withFiles } from './settings.ts';
import { announceReady, leaveSupervisor, superviseWorkers, workerPlace } from './workers.ts';

interface ServeOptions extends FileOptions {
  host?: string;
  port?: number;
  workers?: number;
  dev?: boolean;
}

/** How often expired rows are removed, in milliseconds. */
const purgeEveryMs = 3_600_000;

/** More would only wait for each other. */
const mostWorkers = 64;

export function addServe(program: Command): void {
  withFiles(program.command('serve'))
    .description('run as a server of its own')
    .option('--host <address>', 'where to listen (default: host of the configuration)')
    .option('--port <number>', 'on which port (default: port of the configuration)', toPort)
    .option('--workers <number>', 'in how many processes (default: 1); SIGHUP replaces them', toCount)
    .option(
      '--dev',
      'for development: pages, GraphQL IDE, introspection, and mail bodies in the log; loopback only',
    )
    .action((options: ServeOptions) => serve(options).finally(leaveSupervisor));
}

async function serve({ dev = false, host, port, workers = 1, ...files }: ServeOptions): Promise<void> {
  const place = workerPlace();
  // A worker's own supervisor has said all this already.
  const say = place > 0 ? () => {} : console.error;
  const development = { enableUiRouter: true, graphqlIde: true, graphqlIntrospection: true };
  const { config: loaded, warnings } = await loadSettings(
    files,
    {
      host,
      port,
      // Links in mails should lead here, wherever a developer has put it.
      ...(dev && port && { baseUrl: `http://localhost:${port}` }),
      ...(dev && { ...development, email: { logBodies: true }, sms: { logBodies: true } }),
    },
    say,
  );
  for (const warning of warnings) say(`warning: ${warning}`);
  // Counts of several processes behind one address would be anybody's: each has a listener of its own.
  const metricsPort = loaded.metricsPort && loaded.metricsPort + Math.max(0, place - 1);
  const config = { ...loaded, metricsPort };
  if (dev && !isLoopback(config.host)) {
    throw new CommandError(
      `--dev shows mails and secrets, so it listens on loopback only, not on ${config.host}.`,
    );
  }

  const { createLog, createTerminalLog } = await import('./log.ts');
  const write = (text: string) => void process.stdout.write(text);
  const isWatched = dev && process.stdout.isTTY;
  const logger = isWatched ? createTerminalLog(config.logLevel, write) : createLog(config.logLevel);
  if (workers > 1 && place === 0) {
    if (isInMemory(config)) {
      throw new CommandError('Each worker would have a database of its own: set database_url to a file.');
    }
    const onReady = (url: string) => sayListening(url, dev, config);
    return superviseWorkers({ count: workers, logger, onReady });
  }

  const [{ assemble }, { startServer }, { startMetrics }] = await Promise.all([
    import('../gatehouse.ts'),
    import('./server.ts'),
    import('./metrics.ts'),
  ]);
  const gatehouse = await assemble(config, { logger, write, processes: workers });
  try {
    await gatehouse.installSchema();
  } catch (error) {
    await gatehouse.close();
    throw error;
  }
  const server = await startServer(gatehouse, logger).catch(async error => {
    await gatehouse.close();
    throw explainListen(error, config.host, config.port);
  });

  const metrics = config.enableMetrics
    ? await startMetrics(gatehouse, server, logger).catch(async error => {
        await server.stop();
        await gatehouse.close();
        throw explainListen(error, config.metricsHost, config.metricsPort, 'metrics_');
      })
    : null;

  if (metrics) console.log(`metrics on ${metrics.url}/metrics`);
  if (place > 0) announceReady(server.url);
  else sayListening(server.url, dev, config);
  setImmediate(releaseStartMemory);

  const purge = setInterval(() => {
    // One of several is enough.
    if (place > 1) return;
    gatehouse.purgeExpired().catch(err => logger.warn({ err }, 'expired rows could not be removed'));
  }, purgeEveryMs);
  const signal = await new Promise<string>(resolve => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, resolve);
  });
  clearInterval(purge);
  logger.info({ signal }, 'stopping');
  await server.stop();
  await metrics?.stop();
  await gatehouse.close();
  logger.info({}, 'stopped');
}

function sayListening(url: string, dev: boolean, config: Config): void {
  console.log(`listening on ${url}`);
  // One name for it everywhere: a browser keeps what is of 127.0.0.1 apart from what is of localhost.
  if (dev) console.log(firstSteps(url.replace(/\/\/(127\.0\.0\.1|\[::1\]):/, '//localhost:'), config));
}

const isInMemory = ({ databaseUrl }: Config) => databaseUrl.reveal().endsWith(':memory:');

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

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

/** What to do about an address that can't be had; `prefix` stands before the names of its fields. */
function explainListen(error: unknown, host: string, port: number, prefix = ''): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE') {
    const how = prefix ? `set ${prefix}port to another` : 'choose another with --port';
    return new CommandError(`${host}:${port} is in use. End what listens there, or ${how}.`);
  }
  if (code === 'EACCES')
    return new CommandError(`This user may not listen on port ${port}. Choose one above 1023.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const how = prefix ? `Change ${prefix}host.` : 'Change host, or give --host.';
    return new CommandError(`${host} is no address of this machine. ${how}`);
  }
  return error;
}

/** What to type first: from nothing to a session, as this configuration has it. */
function firstSteps(url: string, config: Config): string {
  const { apiPrefix, uiPrefix, requireVerification, enableGraphql, email } = config;
  const api = `${url}${apiPrefix}`;
  const json = `-H 'Content-Type: application/json'`;
  const ada = `'{"email": "ada@example.org", "password": "correct horse"}'`;
  const steps = [
    ['Register:', `curl ${api}/register ${json} \\\n    -d ${ada}`],
    [
      'Confirm the address with the token at the end of the link in the mail:',
      `curl ${api}/verify ${json} \\\n    -d '{"token": "<TOKEN>"}'`,
    ],
    ['Sign in:', `curl ${api}/login ${json} \\\n    -d ${ada}`],
    ['Ask who you are, with the token you got:', `curl ${api}/me -H 'Authorization: Bearer <ACCESS_TOKEN>'`],
  ].filter((_, step) => step !== 1 || requireVerification);
  return `
${email.backend === 'console' ? 'Mails are not sent, they appear here between the log records. ' : ''}In another terminal:

${steps.map(([what, command], i) => `${i + 1}. ${what}\n\n  ${command}\n`).join('\n')}
The same on pages, in a browser: ${url}${uiPrefix}/register
${enableGraphql ? `The same in GraphQL, in a browser: ${api}/graphql\n` : ''}Ctrl-C stops the server.
`;
}
