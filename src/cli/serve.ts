import { type Command, InvalidArgumentError } from 'commander';
import { assemble } from '../gatehouse.ts';
import { createLog } from './log.ts';
import { CommandError } from './program.ts';
import { startServer } from './server.ts';
import { type FileOptions, loadSettings, withFiles } from './settings.ts';

interface ServeOptions extends FileOptions {
  host?: string;
  port?: number;
  dev?: boolean;
}

/** How often expired rows are removed, in milliseconds. */
const purgeEveryMs = 3_600_000;

export function addServe(program: Command): void {
  withFiles(program.command('serve'))
    .description('run as a server of its own')
    .option('--host <address>', 'where to listen (default: host of the configuration)')
    .option('--port <number>', 'on which port (default: port of the configuration)', toPort)
    .option(
      '--dev',
      'for development: pages, GraphQL IDE, introspection, and mail bodies in the log; loopback only',
    )
    .action(serve);
}

async function serve({ dev = false, host, port, ...files }: ServeOptions): Promise<void> {
  const development = { enableUiRouter: true, graphqlIde: true, graphqlIntrospection: true };
  const { config } = loadSettings(files, {
    host,
    port,
    ...(dev && { ...development, email: { logBodies: true }, sms: { logBodies: true } }),
  });
  if (dev && !isLoopback(config.host)) {
    throw new CommandError(
      `--dev shows mails and secrets, so it listens on loopback only, not on ${config.host}.`,
    );
  }

  const logger = createLog(config.logLevel);
  const gatehouse = await assemble(config, { logger, write: text => process.stdout.write(text) });
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

  console.log(`listening on ${server.url}`);
  if (dev) console.log(firstSteps(server.url, config.apiPrefix));

  const purge = setInterval(() => {
    gatehouse.purgeExpired().catch(err => logger.warn({ err }, 'expired rows could not be removed'));
  }, purgeEveryMs);
  const signal = await new Promise<string>(resolve => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, resolve);
  });
  clearInterval(purge);
  logger.info({ signal }, 'stopping');
  await server.stop();
  await gatehouse.close();
  logger.info({}, 'stopped');
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}

function explainListen(error: unknown, host: string, port: number): unknown {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE') {
    return new CommandError(
      `${host}:${port} is in use. End what listens there, or choose another with --port.`,
    );
  }
  if (code === 'EACCES')
    return new CommandError(`This user may not listen on port ${port}. Choose one above 1023.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CommandError(`${host} is no address of this machine. Change host, or give --host.`);
  }
  return error;
}

function firstSteps(url: string, apiPrefix: string): string {
  const register = `curl ${url}${apiPrefix}/register -H 'Content-Type: application/json' \\
    -d '{"email": "ada@example.org", "password": "correct horse"}'`;
  return `
Mails appear here, in this terminal. Try:

  ${register}

and open the link in the mail that follows, or send its token:

  curl ${url}${apiPrefix}/verify -H 'Content-Type: application/json' -d '{"token": "…"}'

GraphiQL: ${url}${apiPrefix}/graphql
`;
}
