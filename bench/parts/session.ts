import { race } from '../race.ts';
import { seed } from '../seed.ts';
import { type BetterUser, betterSessions, graphqlChecks, hostRequests, sessionChecks } from '../shots.ts';
import { compared, type Part, repeated, withServers } from './part.ts';

/** The check of a session on each database, beside the floor and Better Auth. */
export const session: Part = async ({ databases, passes, seconds }) => {
  const tables = [];
  for (const database of ['sqlite', 'postgresql', 'mongodb'] as const) {
    const results = await withServers(async spawn => {
      const databaseUrl = await databases.create(database);
      const users = await seed(databaseUrl);
      const floor = await spawn('floor', { databaseUrl });
      const ours = await spawn('gatehouse', { databaseUrl });
      const entrants = [
        repeated('floor', floor, sessionChecks(users), seconds),
        repeated('Gatehouse, GET /me', ours, sessionChecks(users), seconds),
        repeated('Gatehouse, requireSession in a host', ours, hostRequests(users), seconds),
        repeated('Gatehouse, GraphQL me', ours, graphqlChecks(users), seconds),
      ];
      if (database !== 'mongodb') {
        for (const cookieCache of [false, true]) {
          const theirs = await spawn('better-auth', {
            databaseUrl: await databases.create(database),
            cookieCache,
          });
          const shots = betterSessions(await theirs.ask<BetterUser[]>('seed', 50));
          const name = `Better Auth, get-session, cookie cache ${cookieCache ? 'on' : 'off'}`;
          entrants.push(repeated(name, theirs, shots, seconds));
        }
      }
      return race(entrants, passes);
    });
    tables.push(compared(`Session check, ${database}`, results));
  }
  return tables;
};
