import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withMongo } from './admin.ts';
import type { Certificate } from './certificates.ts';
import { findMongod } from './mongod-binary.ts';
import { createPostgres, type PostgresOptions } from './postgres-program.ts';
import { findRedis } from './redis-binary.ts';
import { freePort, ServerProcess, type ServerProgram } from './server-process.ts';
import { folderForServers, type WatchedFolder, watchedFolder } from './watched-folder.ts';

/** A server of the tests' own, which they may stop, pause and kill. */
export interface ServerHandle {
  /** Stays the same through `stop` and `start`. */
  readonly url: string;
  /** Shuts the server down in good order; its data stay. */
  stop(): Promise<void>;
  /** Starts the server again, on the same port and data. */
  start(): Promise<void>;
  /** Makes the server hang with its connections open. */
  pause(): void;
  /** Undoes `pause`. */
  resume(): void;
  /** Ends the server by SIGKILL; its data stay. */
  kill(): Promise<void>;
  /** Ends the server and deletes its data. */
  close(): Promise<void>;
}

/** What a server has for TLS: its own certificate, and whose certificates of clients it takes. */
export interface ServerTls extends Certificate {
  clientAuthority: string;
}

/** A PostgreSQL server; its data are in this folder. */
export interface PostgresHandle extends ServerHandle {
  readonly data: string;
}

/** Starts a new PostgreSQL server on loopback; `url` names its database `postgres`. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresHandle> {
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const folder = await watchedFolder('postgresql', { signal: 'QUIT', within: await folderForServers() });
  const server = await launch(folder, () => createPostgres(folder.path, port, password, options));
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  return { ...handle(server, url), data: join(folder.path, 'data') };
}

/**
 * Starts a new MongoDB server on loopback, alone or as the one member of the replica set `rs0`, or to become a member of it. With `auth` it asks
 * everybody for a user; the first one may be created without.
 */
export async function startMongo({
  replicaSet = false,
  auth = false,
  tls,
}: {
  replicaSet?: boolean | 'later';
  auth?: boolean;
  /** It refuses unencrypted connections. */
  tls?: ServerTls;
} = {}): Promise<ServerHandle> {
  const port = await freePort();
  const url = `mongodb://127.0.0.1:${port}/`;
  const folder = await watchedFolder('mongodb', { within: await folderForServers() });
  const server = await launch(folder, () =>
    createMongo(
      folder.path,
      port,
      [...(replicaSet ? ['--replSet', 'rs0', '--oplogSize', '50'] : []), ...(auth ? ['--auth'] : [])],
      tls,
    ),
  );
  if (replicaSet !== true) return handle(server, url);

  const becamePrimary = () => server.logged(/"msg":"Transition to primary complete/);
  const configuration = { _id: 'rs0', members: [{ _id: 0, host: `127.0.0.1:${port}` }] };
  try {
    await withMongo(`${url}?directConnection=true`, client =>
      client.db('admin').command({ replSetInitiate: configuration }),
    );
    await becamePrimary();
  } catch (error) {
    await server.close();
    throw error;
  }
  return { ...handle(server, `${url}?replicaSet=rs0`), start: () => server.start().then(becamePrimary) };
}

/** Starts a new Redis server on loopback; more settings are those of redis.conf. */
export async function startRedis(more: Record<string, string> = {}): Promise<ServerHandle> {
  const port = await freePort();
  const folder = await watchedFolder('redis', { within: await folderForServers() });
  const server = await launch(folder, () => createRedis(folder.path, port, more));
  return handle(server, `redis://127.0.0.1:${port}`);
}

async function launch(folder: WatchedFolder, create: () => Promise<ServerProgram>): Promise<ServerProcess> {
  let server: ServerProcess | undefined;
  try {
    server = new ServerProcess(await create(), folder);
    await server.start();
    return server;
  } catch (error) {
    await (server ?? folder).close();
    throw error;
  }
}

function handle(server: ServerProcess, url: string): ServerHandle {
  return {
    url,
    stop: () => server.stop(),
    start: () => server.start(),
    pause: () => server.pause(),
    resume: () => server.resume(),
    kill: () => server.kill(),
    close: () => server.close(),
  };
}

async function createMongo(
  folder: string,
  port: number,
  more: string[],
  tls?: ServerTls,
): Promise<ServerProgram> {
  const [own, authority] = [join(folder, 'own.pem'), join(folder, 'authority.pem')];
  if (tls) {
    await writeFile(own, tls.cert + tls.key, { mode: 0o600 });
    await writeFile(authority, tls.clientAuthority);
  }
  const tlsOptions = `--tlsMode requireTLS --tlsCertificateKeyFile ${own} --tlsCAFile ${authority} --tlsAllowConnectionsWithoutCertificates`;
  const parameters = {
    diagnosticDataCollectionEnabled: false,
    // Otherwise a primary that is asked to stop waits 15 s for its clients.
    shutdownTimeoutMillisForSignaledShutdown: 0,
    // Tests store rows that ended long ago; the server would remove them at a moment of its own, once a minute.
    ttlMonitorEnabled: false,
  };
  const options =
    '--bind_ip 127.0.0.1 --nounixsocket --storageEngine wiredTiger --wiredTigerCacheSizeGB 0.25';
  return {
    command: await findMongod(),
    args: [
      ...['--dbpath', folder, '--port', String(port), ...options.split(' ')],
      ...Object.entries(parameters).flatMap(([name, value]) => ['--setParameter', `${name}=${value}`]),
      ...more,
      ...(tls ? tlsOptions.split(' ') : []),
    ],
    readyLine: /"msg":"Waiting for connections"/,
    stopSignal: 'SIGTERM',
    abortSignal: 'SIGKILL',
  };
}

async function createRedis(
  folder: string,
  port: number,
  more: Record<string, string>,
): Promise<ServerProgram> {
  const settings = {
    bind: '127.0.0.1',
    port,
    dir: folder,
    save: '',
    // Acknowledged writes were handed to the operating system, so `kill` loses nothing; a power cut might.
    appendonly: 'yes',
    appendfsync: 'no',
    ...more,
  };
  return {
    command: await findRedis(),
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    readyLine: /Ready to accept connections/,
    stopSignal: 'SIGTERM',
    abortSignal: 'SIGKILL',
  };
}
