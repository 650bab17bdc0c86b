import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Of `node:http`, which is not imported: an import reads everything that the module offers, and so loads the clients for
 * WebSocket and fetch that it only offers too. They take 13 MiB.
 */
export const { createServer } = process.getBuiltinModule('node:http');

/** Connections that wait to be taken, where the system allows so many; those beyond lose a second and more. */
const backlog = 4096;

/** Listens, and answers where: `http://127.0.0.1:8000`. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog }, resolve);
  });
  const { address, family, port: bound } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
}

/** Accepts nothing new, lets what is under way finish for so long, and resolves. */
export async function end(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise(resolve => server.close(resolve));
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(timer);
}
