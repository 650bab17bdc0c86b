import type { GraphQLSchema } from 'graphql';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import { lazily } from '../lazily.ts';
import type { OnlyDocuments } from './document-filter.ts';
import type { ServerOptions } from './server.ts';

/** Returns a schema with more fields; `introspection` says whether the schema may be read by clients. */
export type ExtendSchema = (
  schema: GraphQLSchema,
  options: Pick<ServerOptions, 'introspection'>,
) => Promise<GraphQLSchema>;

interface DoorOptions extends Omit<ServerOptions, 'schema' | 'filter'> {
  schema: () => Promise<ServerOptions['schema']>;
  /** The documents that alone are executed; absent for any. */
  only: OnlyDocuments | undefined;
  /** The additions to the schema. */
  extensions: readonly ExtendSchema[];
}

/**
 * Returns the GraphQL interface. Its implementation, half of what a process would load and keep in memory, is loaded with
 * the first request.
 */
export function createGraphQLDoor({ schema, only, extensions, ...options }: DoorOptions) {
  const server = lazily(async () => {
    const { createGraphQLServer } = await import('./server.ts');
    const filter = await only?.filter(options);
    let served = await schema();
    for (const extend of extensions) served = await extend(served, options);
    return createGraphQLServer({ ...options, schema: served, filter });
  });

  return async (request: HttpRequest): Promise<HttpResponse> => (await server())(request);
}
