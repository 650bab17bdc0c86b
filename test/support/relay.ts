import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A way to a server on loopback that a test can break. */
export interface Relay {
  port: number;
  /** Loses the connections that are open, without a word to either end, as a firewall does; new ones work. */
  lose(): void;
  /** From now on, holds back for so long what the server sends, in milliseconds: its answers are late. */
  delay(ms: number): void;
  close(): Promise<void>;
}

/** With `tls` it takes encrypted connections only, and hands on what they hold in the clear. */
export async function startRelay(to: number, tls?: TlsOptions): Promise<Relay> {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  const late = () =>
    new Transform({
      transform: (part, _, done) =>
        void (delayMs > 0 ? setTimeout(done, delayMs, null, part) : done(null, part)),
    });
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
    }
    client.pipe(upstream);
    upstream.pipe(late()).pipe(client);
  };
  const server = tls ? createTlsServer(tls, serve) : createServer(serve);
  // A client without TLS is disconnected.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    delay(ms) {
      delayMs = ms;
    },
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
