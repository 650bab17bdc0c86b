import { join } from 'node:path';
import { executeOnPostgres } from './admin.ts';
import { settingsFile, writeServerFile } from './postgres-program.ts';
import { type PostgresHandle, startPostgres } from './servers.ts';

const access = ['host all all all trust', 'host replication all all trust'];

/** A PostgreSQL primary and its streaming standby, whose roles may change. */
export interface PostgresPair {
  /** The URL of both, for clients that want the one that takes writes. */
  readonly url: string;
  /** The first one begins as the primary. It acknowledges a commit only when the standby has it too. */
  readonly servers: readonly [PostgresHandle, PostgresHandle];
  /** Makes the standby a primary, as a fail-over manager does; it acknowledges commits by itself. */
  promote(server: PostgresHandle): Promise<void>;
  /** Starts a server that was shut down in good order as the standby of the other. */
  follow(server: PostgresHandle, primary: PostgresHandle): Promise<void>;
  close(): Promise<void>;
}

const portOf = ({ url }: PostgresHandle) => Number(new URL(url).port);
const following = (primary: PostgresHandle) => ({
  primary_conninfo: `host=127.0.0.1 port=${portOf(primary)} user=postgres application_name=standby`,
});
/** Each commit waits until the standby has written it (synchronous_commit is on). */
const waiting = { synchronous_standby_names: '*' };

/** Starts both on loopback. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const primary = await startPostgres({ access });
  let standby: PostgresHandle | undefined;
  try {
    await primary.stop();
    standby = await startPostgres({
      ...{ access, standby: true, copyOf: primary.data },
      ownSettings: following(primary),
    });
    await writeServerFile(join(primary.data, 'postgresql.auto.conf'), settingsFile(waiting));
    await primary.start();
  } catch (error) {
    await Promise.all([primary.close(), standby?.close()]);
    throw error;
  }
  const servers = [primary, standby] as const;
  return {
    url: `postgresql+asyncpg://postgres@${servers.map(server => `127.0.0.1:${portOf(server)}`).join(',')}/postgres?target_session_attrs=read-write`,
    servers,
    async promote(server) {
      await executeOnPostgres(server.url, 'select pg_promote()');
    },
    async follow(server, primary) {
      await writeServerFile(join(server.data, 'standby.signal'), '');
      await writeServerFile(join(server.data, 'postgresql.auto.conf'), settingsFile(following(primary)));
      await server.start();
    },
    close: async () => void (await Promise.all(servers.map(server => server.close()))),
  };
}
