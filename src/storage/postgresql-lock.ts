import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from './errors.ts';
import type { PooledClient } from './postgresql-statements.ts';

/** How long a start waits for another process that is migrating, in milliseconds. */
const waitMs = 60_000;

/** The lock is held for as long as the migration takes, whatever timeouts the role or the server has. */
const begin = 'begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0';
const take = `select pg_try_advisory_xact_lock(hashtext('gatehouse:migration')) as taken`;

/**
 * Runs work while holding a lock on the whole database, so that only one process migrates. Instances with other table
 * names wait for it too, because one table is common to all.
 *
 * The lock belongs to a transaction, so it is released when this process is killed, even if a pooler keeps the session. A
 * process that waits polls without holding a transaction open: behind a pooler, each open transaction occupies a session,
 * until none is left for the migration itself.
 */
export async function withMigrationLock<T>(client: PooledClient, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + waitMs;
  try {
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 250)) {
      await client.query(begin);
      const { rows } = await client.query(take);
      if (rows[0]!.taken) break;
      await client.query('rollback');
      if (performance.now() > until) {
        throw new StorageError(
          'Another process has been migrating this database for a minute. Let it finish, or end it, then try again.',
        );
      }
      await sleep(pauseMs * (0.5 + Math.random()));
    }
    const result = await work();
    await client.query('commit');
    return result;
  } finally {
    // Whatever state it is in, the server ends the transaction with the connection.
    client.release(true);
  }
}
