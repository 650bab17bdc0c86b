import type { HttpRequest, HttpResponse } from '../http/message.ts';
import { lazily } from '../lazily.ts';
import type { OnlyDocuments } from './document-filter.ts';
import type { ServerOptions } from './server.ts';

interface DoorOptions extends Omit<ServerOptions, 'schema' | 'filter'> {
  schema: () => Promise<ServerOptions['schema']>;
  /** The documents that alone are executed; absent for any. */
  only: OnlyDocuments | undefined;
}

/**
 * Returns the GraphQL interface. Its implementation, half of what a process would load and keep in memory, is loaded with
 * the first request.
 */
export function createGraphQLDoor({ schema, only, ...options }: DoorOptions) {
  const server = lazily(async () => {
    const { createGraphQLServer } = await import('./server.ts');
    const filter = await only?.filter(options);
    return createGraphQLServer({ ...options, schema: await schema(), filter });
  });

  return async (request: HttpRequest): Promise<HttpResponse> => (await server())(request);
}
