import { race } from '../race.ts';
import { fill, type Seeded, seed } from '../seed.ts';
import type { Running } from '../servers/spawn.ts';
import { adminLists, sessionChecks } from '../shots.ts';
import { compared, type Part, repeated, withServers } from './part.ts';

const sizes = [1000, 100_000, 1_000_000];

/** The effect of the number of stored users, on SQLite. */
export const growth: Part = async ({ databases, passes, seconds }) =>
  withServers(async spawn => {
    const running: { label: string; users: Seeded[]; server: Running }[] = [];
    for (const size of sizes) {
      const databaseUrl = await databases.create('sqlite');
      const users = await seed(databaseUrl);
      await fill(databaseUrl, users.length, size);
      running.push({
        label: size.toLocaleString('en'),
        users,
        server: await spawn('gatehouse', { databaseUrl }),
      });
    }
    const lists = running.map(({ label, users, server }) =>
      repeated(`list, ${label} users`, server, adminLists(users[0]!), seconds),
    );
    const searchesFor = (text: string) =>
      running.map(({ label, users, server }) =>
        repeated(`search, ${label} users`, server, adminLists(users[0]!, `?search=${text}`), seconds),
      );
    const checks = running.map(({ label, users, server }) =>
      repeated(`GET /me, ${label} users`, server, sessionChecks(users), seconds),
    );
    return [
      compared('Session check as users grow, sqlite', await race(checks, passes)),
      compared('Admin list as users grow, sqlite', await race(lists, passes)),
      compared(
        'Admin search for one user as users grow, sqlite',
        await race(searchesFor('user-777@'), passes),
      ),
      compared(
        'Admin search for one in a hundred as users grow, sqlite',
        await race(searchesFor('user-77'), passes),
      ),
    ];
  });
