import { type Entrant, median, race } from '../race.ts';
import { finishedSignIns, password, passwordHash, seed } from '../seed.ts';
import {
  adminLists,
  betterLogins,
  exchanges,
  graphqlLists,
  logins,
  type PeerUser,
  registrations,
} from '../shots.ts';
import { compared, type Part, repeated, type Table, withServers } from './part.ts';

/** How many sign-ins are in flight at once. */
const inFlight = 32;

/** Logins, registrations, exchanges and the admin list; the first two beside what hashing alone allows. */
export const operations: Part = async ({ databases, passes, seconds }) => {
  const tables: Table[] = [];
  for (const database of ['sqlite', 'postgresql', 'mongodb'] as const) {
    await withServers(async spawn => {
      const databaseUrl = await databases.create(database);
      const users = await seed(databaseUrl);
      const ours = await spawn('gatehouse', { databaseUrl });

      const alone: { rate: number; perCpuSecond: number }[] = [];
      const hashing: Entrant[] = [
        { ...repeated('Gatehouse, login', ours, logins(users), seconds) },
        {
          name: 'Gatehouse, register',
          load: pass => ({
            ...{ url: ours.url, cpuMs: ours.cpuMs, seconds },
            shots: registrations(2000, (pass + 1) * 2000),
          }),
        },
      ];
      if (database !== 'mongodb') {
        const theirs = await spawn('better-auth', { databaseUrl: await databases.create(database) });
        const shots = betterLogins(await theirs.ask<PeerUser[]>('seed', 20));
        hashing.push(repeated('Better Auth, sign-in', theirs, shots, seconds));
      }
      const results = await race(
        hashing.map(({ name, load }) => ({
          name,
          // A slow hash needs longer, until as many are answered as are in flight.
          load: async pass => ({ ...(await load(pass)), connections: inFlight, seconds: 2 * seconds }),
        })),
        passes,
        async () => {
          const cpuBefore = ours.cpuMs();
          const rate = await ours.ask<number>('hashing', passwordHash, password, inFlight, seconds);
          alone.push({ rate, perCpuSecond: (rate * seconds * 1000) / (ours.cpuMs() - cpuBefore) });
        },
      );
      const hashAlone = median(alone.map(({ rate }) => rate));
      const hashPerCpuSecond = median(alone.map(({ perCpuSecond }) => perCpuSecond));
      const share = (of: number, whole: number) => `${Math.round((of / whole) * 100)} %`;
      tables.push({
        title: `Signing in with ${inFlight} in flight, ${database}`,
        columns: ['', 'a second', 'of hashing', 'per CPU second', 'of hashing', 'p50 ms', 'p99 ms'],
        rows: [
          [
            ...['hashing alone, in the same process', round(hashAlone), '100 %'],
            ...[round(hashPerCpuSecond), '100 %', '', ''],
          ],
          ...results.map(({ name, perSecond, perCpuSecond, p50, p99 }) => [
            ...[name, round(perSecond), share(perSecond, hashAlone)],
            ...[round(perCpuSecond), share(perCpuSecond, hashPerCpuSecond), p50, p99],
          ]),
        ],
      });

      const ids = await finishedSignIns(databaseUrl, users[0]!, exchangesAPass * (passes + 1));
      tables.push(
        compared(
          `Other operations, ${database}`,
          await race(
            [
              repeated('admin list, 50 of 1,000 users', ours, adminLists(users[0]!), seconds),
              repeated('the same list, GraphQL nodes', ours, graphqlLists(users[0]!, 'nodes'), seconds),
              repeated('the same list, GraphQL edges', ours, graphqlLists(users[0]!, 'edges'), seconds),
              repeated('admin search', ours, adminLists(users[0]!, '?search=user-77'), seconds),
              {
                name: 'exchange',
                load: pass => ({
                  ...{ url: ours.url, cpuMs: ours.cpuMs, once: true },
                  shots: exchanges(ids.slice((pass + 1) * exchangesAPass, (pass + 2) * exchangesAPass)),
                }),
              },
            ],
            passes,
          ),
        ),
      );
    });
  }
  return tables;
};

/** Each can be exchanged once, so they are counted out and not timed. */
const exchangesAPass = 800;

const round = (perSecond: number) => Math.round(perSecond * 10) / 10;
