import type { Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';

/**
 * Taken from `node:http` without an import: an import evaluates everything that the module exports, and so loads the
 * WebSocket and fetch clients, which take 13 MiB.
 */
export const { createServer } = process.getBuiltinModule('node:http');

/**
 * How many connections may wait to be accepted, if the system allows as many; those beyond are delayed by a second or
 * more.
 */
const backlog = 4096;

export const listenOptions = (host: string, port: number) => ({ host, port, backlog });

/** Returns the URL at which a server listens: `http://127.0.0.1:8000`. */
export function boundAddress(server: NetServer): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Listens, and returns the URL. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listenOptions(host, port), resolve);
  });
  return boundAddress(server);
}

/** Accepts nothing new and resolves when requests in progress have ended, after `drainMs` milliseconds at the latest. */
export async function end(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise(resolve => server.close(resolve));
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(timer);
}
