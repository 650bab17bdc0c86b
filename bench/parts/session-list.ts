import { race } from '../race.ts';
import { seed, seedSessionRecords } from '../seed.ts';
import { sessionChecks } from '../shots.ts';
import { compared, type Part, repeated, withServers } from './part.ts';

/** What the check of a session costs where sessions are listed, and where they also end by being unused. */
export const sessionList: Part = async ({ databases, passes, seconds }) => {
  const tables = [];
  for (const database of ['sqlite', 'postgresql', 'mongodb'] as const) {
    const results = await withServers(async spawn => {
      const databaseUrl = await databases.create(database);
      const users = await seed(databaseUrl);
      await seedSessionRecords(databaseUrl, users);
      const shots = sessionChecks(users);
      const listed = { databaseUrl, enableSessionList: true };
      return race(
        [
          repeated('no list', await spawn('gatehouse', { databaseUrl }), shots, seconds),
          repeated('list', await spawn('gatehouse', listed), shots, seconds),
          repeated(
            'list, idle timeout',
            await spawn('gatehouse', { ...listed, sessionIdleTtlSeconds: 3600 }),
            shots,
            seconds,
          ),
        ],
        passes,
      );
    });
    tables.push(compared(`Session check with the session list, ${database}`, results));
  }
  return tables;
};
