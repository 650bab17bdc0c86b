import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Lets a server hold so many connections and no more. Beyond that, the one that has been silent for longest makes way
 * for the new one, so that whoever only holds connections keeps nobody out. Silent is one with no request under way; where
 * each has one, the new connection is closed. Answers how to close all that are silent.
 */
export function boundConnections(server: Server, most: number): () => void {
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  function forget(socket: Socket): void {
    open.delete(socket);
    silent.delete(socket);
  }

  server.on('connection', (socket: Socket) => {
    open.add(socket);
    silent.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size <= most) return;
    // The new one is silent too, and the last of them.
    const [longest] = silent;
    forget(longest!);
    longest!.destroy();
  });
  server.on('request', ({ socket }, response) => {
    silent.delete(socket);
    response.once('close', () => {
      if (open.has(socket)) silent.add(socket);
    });
  });
  return () => {
    for (const socket of silent) socket.destroy();
  };
}
