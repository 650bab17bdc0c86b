import cluster from 'node:cluster';
import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A message of the supervisor to a worker. Messages and connections arrive in the order in which they were sent. */
export type Order =
  /** Comes with a connection to serve. */
  | { order: 'serve' }
  /** Close connections after each response from now on. `isReady`: whether the port is still ready. */
  | { order: 'leave'; isReady: boolean }
  /** No further connection will come: finish the requests in progress, and exit. */
  | { order: 'drain' };

/** The report of a worker to the supervisor once it can serve. */
export interface Ready {
  /** How long it still serves when it stops, before it drains, in milliseconds. */
  shutdownDelayMs: number;
}

/** Returns the number of this process among the workers, from 1; 0 without workers. */
export const workerPlace = (): number => (cluster.isWorker ? Number(process.env.GATEHOUSE_WORKER) : 0);

/** Notifies the supervisor that this worker can serve. */
export function announceReady(ready: Ready): void {
  process.send?.(ready);
}

/** Lets this process end, if it is a worker: its channel to the supervisor would keep it alive. */
export function leaveSupervisor(): void {
  cluster.worker?.disconnect();
}

/** Serves the connections that the supervisor accepts and sends, instead of listening. */
export function serveConnections(server: Server, sender: EventEmitter = process): void {
  // Node starts the checks of its time-outs when a server listens.
  server.emit('listening');
  onOrder(sender, (order, connection) => {
    // A connection that its client has closed meanwhile does not arrive.
    if (order.order !== 'serve' || !connection) return;
    // The options of connections that a server accepts itself.
    connection.allowHalfOpen = true;
    connection.setNoDelay(true);
    server.emit('connection', connection);
    connection.resume();
  });
}

/** Resolves with the order to drain. An order to leave may come first. */
export function waitForDrainOrder(leave: (isReady: boolean) => void): Promise<void> {
  return new Promise(resolve => {
    onOrder(process, order => {
      if (order.order === 'leave') leave(order.isReady);
      else if (order.order === 'drain') resolve();
    });
  });
}

type Handler = (order: Order, connection: Socket | undefined) => void;

function onOrder(sender: EventEmitter, handler: Handler): void {
  sender.on('message', handler);
}
