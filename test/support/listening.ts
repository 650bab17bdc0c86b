import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** An HTTP server that listens at a free port of loopback. */
export interface Listening {
  port: number;
  /** `http://127.0.0.1:12345`. */
  origin: string;
  /** Stops it, and ends the connections that are open. */
  close(): Promise<void>;
}

/** Starts an HTTP server: this one, or one for this listener. */
export async function listen(host: RequestListener | Server | TlsServer): Promise<Listening> {
  const server = (typeof host === 'function' ? createServer(host) : host).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
