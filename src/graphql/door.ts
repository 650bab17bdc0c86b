import type { ServerResponse } from 'node:http';
import type { HostRequest } from '../rest/route.ts';
import type { GraphQLServer, ServerOptions } from './server.ts';

interface DoorOptions extends Omit<ServerOptions, 'schema'> {
  schema: () => Promise<ServerOptions['schema']>;
}

/** The GraphQL door. What stands behind it, half of what a process would load and keep, comes with the first request. */
export function createGraphQLDoor({ schema, ...options }: DoorOptions) {
  async function open(): Promise<GraphQLServer> {
    const { createGraphQLServer } = await import('./server.ts');
    return createGraphQLServer({ ...options, schema: await schema() });
  }
  let server: Promise<GraphQLServer> | undefined;

  return async (req: HostRequest, res: ServerResponse): Promise<void> => {
    server ??= open();
    return (await server)(req, res);
  };
}
