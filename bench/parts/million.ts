import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Entrant, race } from '../race.ts';
import { fill, seed, seedOldRecords, seedSessionRecords } from '../seed.ts';
import { adminLists, logins, sessionChecks } from '../shots.ts';
import { everyFeatureWith } from './features.ts';
import { type Part, repeated, withServers } from './part.ts';

const size = 1_000_000;
const oldRecords = 20_000;

/** Administrators are few: more at once would only wait for the database. */
const byFew = ({ name, load }: Entrant): Entrant => ({
  name,
  load: async pass => ({ ...(await load(pass)), connections: 4 }),
});

/** The effect of a million users on each database, with every feature on that is off by default. */
export const million: Part = async ({ databases, passes, seconds }) => {
  const rows: (string | number)[][] = [];
  const receiver = createServer((req, res) => req.resume().on('end', () => res.writeHead(204).end()));
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  for (const database of ['sqlite', 'postgresql', 'mongodb'] as const) {
    await withServers(async spawn => {
      const databaseUrl = await databases.create(database);
      const users = await seed(databaseUrl);
      await seedSessionRecords(databaseUrl, users);
      const startedAt = performance.now();
      await fill(databaseUrl, users.length, size);
      console.error(`  ${database}: filled in ${Math.round((performance.now() - startedAt) / 1000)} s`);
      await seedOldRecords(databaseUrl, oldRecords);
      const server = await spawn('gatehouse', { databaseUrl, ...everyFeatureWith(receiverUrl) });
      const list = (query: string) => adminLists(users[0]!, query);
      const results = await race(
        [
          repeated('session check', server, sessionChecks(users), seconds),
          repeated('sign-in', server, logins(users.slice(1)), seconds),
          byFew(repeated('list, 50 users', server, list(''), seconds)),
          byFew(repeated('search for one user', server, list('?search=user-777@'), seconds)),
          byFew(repeated('search for one in a hundred', server, list('?search=user-77'), seconds)),
        ],
        passes,
      );
      for (const { name, perSecond, perCpuSecond, p50, p99 } of results)
        rows.push([database, name, Math.round(perSecond), Math.round(perCpuSecond), p50, p99]);
      const { audit, ms } = await server.ask<{ audit: number; ms: number }>('purge');
      if (audit !== oldRecords) throw new Error(`purged ${audit} of ${oldRecords} old audit records`);
      rows.push([database, 'purge, audit records', Math.round((audit / ms) * 1000), '', '', '']);
    });
  }
  receiver.close();
  return [
    {
      title: `${size.toLocaleString('en')} users, every feature on`,
      columns: ['', 'what', 'a second', 'per CPU second', 'p50 ms', 'p99 ms'],
      rows,
    },
  ];
};
