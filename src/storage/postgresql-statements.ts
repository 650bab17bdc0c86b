import { createHash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { databaseCode, isServerGone } from './driver-codes.ts';

interface Result {
  rows: Record<string, unknown>[];
  rowCount: number | null;
}
interface Statement {
  name?: string;
  text: string;
  values: unknown[];
}
/** A connection of the driver's that its pool has lent. */
export interface PooledClient extends EventEmitter {
  connection: { stream: { destroy(): void } };
  query(statement: string | Statement): Promise<Result>;
  release(isBroken: boolean): void;
}

/** Ignores the error event of a broken connection: its statement fails with the same error. */
const ignore = () => {};

/** The session already has a statement of this name, or has none: a pooler assigned another session than before. */
const isStatementMissing = (error: unknown) => /^(42P05|26000)$/.test(databaseCode(error));

/**
 * Returns functions that run statements on connections from `lend`; each statement is prepared once per connection.
 * `leave` is called when the server is gone, before another connection is made.
 */
export function createStatements(lend: () => Promise<PooledClient>, leave: () => void) {
  const names = new Map<string, string>();
  let isPreparing = true;
  /** Grows with each sign that the server is gone; connections of an earlier one are not used again. */
  let generation = 0;
  const generations = new WeakMap<PooledClient, number>();

  /**
   * Lends a connection. After a failover the pool still has connections to the former server: each would fail one request,
   * or read there what is out of date. Their sockets are destroyed without a Terminate message: the server may not
   * answer.
   */
  async function lendCurrent(): Promise<PooledClient> {
    for (;;) {
      const client = await lend();
      const own = generations.get(client);
      if (own === undefined) generations.set(client, generation);
      if (own === undefined || own === generation) return client;
      client.on('error', ignore);
      client.connection.stream.destroy();
      client.release(true);
    }
  }

  function nameOf(text: string): string {
    let name = names.get(text);
    if (!name) {
      // The name is derived from the text, because a pooler may lend one connection to instances with other tables.
      name = `gatehouse_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
      names.set(text, name);
    }
    return name;
  }

  /**
   * Some poolers do not support prepared statements. The server rejects such a statement before it runs, so it is safe to
   * send it again without a name; from then on, no statement is named.
   */
  async function execute(
    client: PooledClient,
    text: string,
    values: unknown[],
    hasCustomPlan = false,
  ): Promise<Result> {
    if (hasCustomPlan || !isPreparing) return client.query({ text, values });
    try {
      return await client.query({ name: nameOf(text), text, values });
    } catch (error) {
      if (!isStatementMissing(error)) throw error;
      isPreparing = false;
      return client.query({ text, values });
    }
  }

  return {
    /** Runs one statement. */
    async query(text: string, values: unknown[], { hasCustomPlan = false } = {}): Promise<Result> {
      const client = await lendCurrent();
      client.on('error', ignore);
      let isBroken = false;
      try {
        return await execute(client, text, values, hasCustomPlan);
      } catch (error) {
        // A rejected row says nothing about the connection; any other error may, a stale statement included.
        isBroken = !/^2[23]/.test(databaseCode(error));
        if (isServerGone(error) && generations.get(client) === generation) {
          generation++;
          leave();
        }
        throw error;
      } finally {
        client.off('error', ignore);
        client.release(isBroken);
      }
    },

    /**
     * Uses a statement and a transaction on several connections in turn, and returns whether prepared statements work.
     * @throws the server's error where transactions are not supported
     */
    async probe(): Promise<{ preparesStatements: boolean }> {
      for (let i = 0; i < 3; i++) {
        const client = await lend();
        client.on('error', ignore);
        try {
          await execute(client, 'select 1', []);
          await client.query('begin');
          await client.query('commit');
        } finally {
          client.release(true);
        }
      }
      return { preparesStatements: isPreparing };
    },
  };
}
