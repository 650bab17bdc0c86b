import { execFile } from 'node:child_process';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, fromPath, isExecutable } from './binaries.ts';
import { unprivilegedAccount } from './postgres-program.ts';
import { freePort, ServerProcess } from './server-process.ts';
import { watchedFolder } from './watched-folder.ts';

const run = promisify(execFile);

/** Finds the connection pooler, which no package of ours brings. */
export function findPgbouncer(): Promise<string> {
  return findProgram('pgbouncer', 'PGBOUNCER_PATH', [fromSystem]);
}

/** Distributions put it where an ordinary PATH does not look. */
async function fromSystem(): Promise<string | undefined> {
  const onPath = await fromPath('pgbouncer');
  if (onPath) return onPath;
  for (const folder of ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/sbin']) {
    if (await isExecutable(join(folder, 'pgbouncer'))) return join(folder, 'pgbouncer');
  }
  return undefined;
}

/** Whether this one can keep prepared statements apart where sessions are shared: since 1.21. */
export async function knowsPreparedStatements(path: string): Promise<boolean> {
  const { stdout } = await run(path, ['--version']);
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  return major > 1 || minor >= 21;
}

/** A pooler before a PostgreSQL server. */
export interface Pooler {
  /** The URL of a database, led through the pooler. */
  through(databaseUrl: string): string;
  close(): Promise<void>;
}

interface PoolerOptions {
  path: string;
  mode: 'session' | 'transaction' | 'statement';
  /** More settings of its configuration file. */
  settings?: Record<string, string | number>;
}

/** Starts a pooler on loopback before the server of this URL. */
export async function startPooler(
  serverUrl: string,
  { path, mode, settings }: PoolerOptions,
): Promise<Pooler> {
  const port = await freePort();
  const { hostname, port: serverPort, username, password } = new URL(serverUrl);
  const folder = await watchedFolder('pgbouncer');
  const account = await unprivilegedAccount();
  const all = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '' },
    ...{ auth_type: 'trust', auth_file: join(folder.path, 'users'), pool_mode: mode },
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const files = {
    users: `"${username}" "${password}"\n`,
    'pgbouncer.ini': `[databases]\n* = host=${hostname} port=${serverPort || 5432}\n[pgbouncer]\n${lines.join('\n')}\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder.path, name), text, { mode: 0o600 });
    if (account) await chown(join(folder.path, name), account.uid, account.gid);
  }
  if (account) await chown(folder.path, account.uid, account.gid);
  const server = new ServerProcess(
    {
      command: path,
      args: [join(folder.path, 'pgbouncer.ini')],
      readyLine: /process up/,
      stopSignal: 'SIGKILL',
      abortSignal: 'SIGKILL',
      ...(account && { account }),
    },
    folder,
  );
  await server.start().catch(async error => {
    await server.close();
    throw error;
  });
  return {
    through(databaseUrl) {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    close: () => server.close(),
  };
}
