import { race } from '../race.ts';
import { seed } from '../seed.ts';
import { sessionChecks } from '../shots.ts';
import { compared, type Part, repeated, withServers } from './part.ts';

/** Session checks by one process and by two that share a port; the client needs a core of its own besides. */
export const processes: Part = async ({ databases, passes, seconds }) => {
  const tables = [];
  for (const database of ['sqlite', 'postgresql'] as const) {
    const results = await withServers(async spawn => {
      const databaseUrl = await databases.create(database);
      const users = await seed(databaseUrl);
      const entrants = [];
      for (const count of [1, 2]) {
        for (const name of ['floor', 'gatehouse'] as const) {
          const server = await spawn(name, { databaseUrl }, { processes: count });
          entrants.push(repeated(`${name}, ${count}`, server, sessionChecks(users), seconds));
        }
      }
      return race(entrants, passes);
    });
    tables.push(compared(`Session check by one and two processes, ${database}`, results));
  }
  return tables;
};
