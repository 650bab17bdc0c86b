import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fire, type Shot } from '../load.ts';
import { seed } from '../seed.ts';
import { residentMiB } from '../servers/spawn.ts';
import { startSvc } from '../servers/svc.ts';
import { graphqlChecks, hostRequests, logins, sessionChecks } from '../shots.ts';
import { type Part, withServers } from './part.ts';

/** Of a thousand requests: sessions by REST, by GraphQL and in a host, and a few logins. */
const mix = { rest: 500, host: 290, graphql: 200, login: 10 };

/** The resident memory of a host in one table, and of `svc serve` asked by REST and by GraphQL in another. */
export const memory: Part = async options => [...(await inHost(options)), ...(await alone(options))];

/** Resident memory of a host with Gatehouse in it, on SQLite: at rest, and after many mixed requests. */
const inHost: Part = async ({ databases }) =>
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

/** Resident memory of `svc serve` on SQLite, of one process that answers REST alone, and one that answers GraphQL alone. */
const alone: Part = async ({ databases }) => {
  const databaseUrl = await databases.create('sqlite');
  const users = await seed(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-memory-'));
  const rows: (string | number)[][] = [];
  for (const [door, shots] of [
    ['REST', sessionChecks(users)],
    ['GraphQL', graphqlChecks(users)],
  ] as const) {
    const svc = await startSvc(databaseUrl, folder);
    await sleep(2500);
    const atRest = Math.round(residentMiB(svc.pid));
    await send(svc.url, [...shots, ...logins(users).slice(0, mix.login)], 100_000);
    rows.push([door, atRest, Math.round(residentMiB(svc.pid))]);
    await svc.stop();
  }
  await rm(folder, { recursive: true });
  return [
    {
      title: 'Memory of svc serve, sqlite',
      columns: ['', 'at rest, MiB', 'after 100,000 requests, MiB'],
      rows,
    },
  ];
};

async function send(url: string, shots: Shot[], amount: number): Promise<void> {
  for (let sent = 0; sent < amount; sent += shots.length) await fire({ url, shots, once: true });
}
