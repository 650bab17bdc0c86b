import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A way to a server on loopback that a test can break. */
export interface Relay {
  port: number;
  /** Loses the connections that are open, without a word to either end, as a firewall does; new ones work. */
  lose(): void;
  close(): Promise<void>;
}

/** With `tls` it takes encrypted connections only, and hands on what they hold in the clear. */
export async function startRelay(to: number, tls?: TlsOptions): Promise<Relay> {
  const sockets = new Set<Socket>();
  const serve = (client: Socket) => {
    const upstream = connect(to, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        if (sockets.has(other)) other.destroy();
      });
      socket.pipe(other);
    }
  };
  const server = tls ? createTlsServer(tls, serve) : createServer(serve);
  // Whoever does not support TLS is hung up on.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    lose() {
      for (const socket of sockets) socket.unpipe().resume();
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
