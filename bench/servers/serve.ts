import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The choices of the parent for this server. */
export const options = JSON.parse(process.env.BENCH_OPTIONS ?? '{}');

/** Answers with JSON by Node's own methods, as every floor and host of the bench does. */
export function answer(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  res.end(text);
}

/** Tells the parent where the server listens, and answers what it asks. */
export async function serve(
  server: Server,
  answers: Record<string, (...args: never[]) => unknown> = {},
): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.on('message', async ({ what, args }: { what: string; args: never[] }) => {
    try {
      process.send!({ result: await answers[what]!(...args) });
    } catch (error) {
      process.send!({ error: String((error as Error).stack) });
    }
  });
  process.once('SIGTERM', () => process.exit(0));
  // The servers end with the bench.
  process.once('disconnect', () => process.exit(0));
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
