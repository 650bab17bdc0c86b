import type { ServerResponse } from 'node:http';
import { lazily } from '../lazily.ts';
import type { HostRequest } from '../rest/route.ts';
import type { ServerOptions } from './server.ts';

interface DoorOptions extends Omit<ServerOptions, 'schema'> {
  schema: () => Promise<ServerOptions['schema']>;
}

/** The GraphQL door. What stands behind it, half of what a process would load and keep, comes with the first request. */
export function createGraphQLDoor({ schema, ...options }: DoorOptions) {
  const server = lazily(async () => {
    const { createGraphQLServer } = await import('./server.ts');
    return createGraphQLServer({ ...options, schema: await schema() });
  });

  return async (req: HostRequest, res: ServerResponse): Promise<void> => (await server())(req, res);
}
