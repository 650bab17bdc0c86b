import { fire, type Shot } from '../load.ts';
import { seed } from '../seed.ts';
import { graphqlChecks, hostRequests, logins, sessionChecks } from '../shots.ts';
import { type Part, withServers } from './part.ts';

/** Of a thousand requests: sessions by REST, by GraphQL and in a host, and a few logins. */
const mix = { rest: 500, host: 290, graphql: 200, login: 10 };

/** Resident memory of a host with Gatehouse in it, on SQLite: at rest, and after many mixed requests. */
export const memory: Part = async ({ databases }) =>
  withServers(async spawn => {
    const databaseUrl = await databases.create('sqlite');
    const users = await seed(databaseUrl);
    const server = await spawn('gatehouse', { databaseUrl });
    await fire({
      url: server.url,
      shots: [{ path: '/api/auth/openapi.json', expect: 'openapi' }],
      amount: 1,
      connections: 1,
    });
    const rows: (string | number)[][] = [];
    const note = async (when: string) => {
      const inUse = await server.ask<number>('collect');
      rows.push([when, Math.round(server.memory()), Math.round(inUse)]);
    };
    await note('at rest');
    const shots: Shot[] = [
      ...sessionChecks(users).slice(0, mix.rest),
      ...hostRequests(users).slice(0, mix.host),
      ...graphqlChecks(users).slice(0, mix.graphql),
      ...logins(users).slice(0, mix.login),
    ];
    await send(server.url, shots, 10_000);
    await note('after 10,000 requests');
    await send(server.url, shots, 90_000);
    await note('after 100,000 requests');
    return [{ title: 'Memory, sqlite', columns: ['', 'resident MiB', 'heap in use MiB'], rows }];
  });

async function send(url: string, shots: Shot[], amount: number): Promise<void> {
  for (let sent = 0; sent < amount; sent += shots.length) await fire({ url, shots, once: true });
}
