import type { HttpRequest, HttpResponse } from '../http/message.ts';
import { lazily } from '../lazily.ts';
import type { ServerOptions } from './server.ts';

interface DoorOptions extends Omit<ServerOptions, 'schema' | 'trusted'> {
  schema: () => Promise<ServerOptions['schema']>;
  /** Returns the documents that alone are executed; null for any. */
  trusted: () => Promise<ServerOptions['trusted']>;
}

/**
 * Returns the GraphQL interface. Its implementation, half of what a process would load and keep in memory, is loaded with
 * the first request.
 */
export function createGraphQLDoor({ schema, trusted, ...options }: DoorOptions) {
  const server = lazily(async () => {
    const { createGraphQLServer } = await import('./server.ts');
    return createGraphQLServer({ ...options, schema: await schema(), trusted: await trusted() });
  });

  return async (request: HttpRequest): Promise<HttpResponse> => (await server())(request);
}
