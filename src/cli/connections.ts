import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits how many connections a server holds. Beyond the limit, the connection that has been idle for longest is closed in
 * favour of the new one, so that clients that only hold connections do not keep others out (denial of service). Idle means
 * without a request in progress; if every connection has one, the new connection is closed.
 */
export function boundConnections(server: Server, most: number) {
  // The response in progress is a field and not a member of a set: the tables that a busy set leaves behind would keep
  // responses from being collected while they are young, which costs a tenth of the throughput.
  const open = new Map<Socket, { response: ServerResponse | null }>();
  const silent = new Set<Socket>();
  let onEmpty: (() => void) | undefined;
  function forget(socket: Socket): void {
    open.delete(socket);
    silent.delete(socket);
    if (open.size === 0) onEmpty?.();
  }

  server.on('connection', (socket: Socket) => {
    open.set(socket, { response: null });
    silent.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size <= most) return;
    // The new connection is idle too, and the last of them.
    const [longest] = silent;
    forget(longest!);
    longest!.destroy();
  });
  return {
    /** Records that a request of a connection is in progress, until `end`. */
    begin(socket: Socket, response: ServerResponse): void {
      const connection = open.get(socket);
      if (!connection) return;
      silent.delete(socket);
      connection.response = response;
    },
    /** Records that a response was closed. */
    end(socket: Socket, response: ServerResponse): void {
      const connection = open.get(socket);
      // With pipelining, the next request of the connection may be in progress already.
      if (connection?.response !== response) return;
      connection.response = null;
      silent.add(socket);
    },
    get count() {
      return open.size;
    },
    /** Returns the response in progress of each connection that has one. */
    listResponses: (): ServerResponse[] => [...open.values()].flatMap(({ response }) => response ?? []),
    closeSilent(): void {
      for (const socket of silent) socket.destroy();
    },
    closeAll(): void {
      for (const socket of open.keys()) socket.destroy();
    },
    /** Resolves when none is open. */
    async waitUntilEmpty(): Promise<void> {
      if (open.size > 0) await new Promise<void>(resolve => (onEmpty = resolve));
    },
  };
}
