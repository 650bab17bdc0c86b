import type { Worker } from 'node:cluster';
import { createServer, type Socket } from 'node:net';
import { boundAddress, listenOptions } from './listen.ts';
import type { Order } from './worker.ts';

/** How many connections may wait while there is no worker. */
const mostWaiting = 1000;
/** How many turns of the event loop without a new connection come before the port is closed. */
const quietTurns = 50;
/** How long the close waits for that many turns, in milliseconds. */
const longestWaitMs = 1000;

export type Port = Awaited<ReturnType<typeof openPort>>;

/**
 * Accepts connections and hands them to the workers in turn (round robin). This runs in the supervisor, which does nothing
 * else: each connection leaves the backlog of the operating system at once, so the port can be closed, or a worker taken
 * out, without losing a connection between the backlog and a worker.
 */
export async function openPort(host: string, port: number) {
  const workers: Worker[] = [];
  const waiting: Socket[] = [];
  let quiet = 0;
  const server = createServer({ pauseOnConnect: true }, connection => {
    quiet = 0;
    assign(connection);
  });

  function assign(connection: Socket): void {
    const worker = workers.shift();
    if (worker) {
      workers.push(worker);
      worker.send({ order: 'serve' } satisfies Order, connection, error => {
        // The worker has just died, and the connections on their way to it are lost.
        if (error) remove(worker);
      });
    } else if (waiting.length < mostWaiting) {
      waiting.push(connection.on('error', () => {}));
    } else {
      connection.destroy();
    }
  }

  function remove(worker: Worker): void {
    const index = workers.indexOf(worker);
    if (index !== -1) workers.splice(index, 1);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listenOptions(host, port), resolve);
  });
  return {
    url: boundAddress(server),
    /** Adds a worker, which gets connections from now on. */
    add(worker: Worker): void {
      workers.push(worker);
      worker.once('disconnect', () => remove(worker));
      for (const connection of waiting.splice(0)) assign(connection);
    },
    /** Takes a worker out: it gets no further connections. */
    remove,
    /**
     * Closes the port; connections are refused once it resolves. The operating system resets connections in its backlog
     * that were not accepted yet, so the port is closed after turns of the event loop that found none there.
     */
    async close(): Promise<void> {
      const deadline = performance.now() + longestWaitMs;
      quiet = 0;
      await new Promise<void>(resolve => {
        function turn(): void {
          if (quiet++ < quietTurns && performance.now() < deadline) {
            setImmediate(turn);
            return;
          }
          server.close();
          resolve();
        }
        turn();
      });
      for (const connection of waiting.splice(0)) connection.destroy();
    },
  };
}
