import { race } from '../race.ts';
import { seed } from '../seed.ts';
import { startSvc } from '../servers/svc.ts';
import {
  betterSessions,
  graphqlChecks,
  hostRequests,
  type PeerUser,
  passportSessions,
  sessionChecks,
} from '../shots.ts';
import { compared, type Part, repeated, withServers } from './part.ts';

/** The check of a session on each database, beside bare servers, Passport and Better Auth. */
export const session: Part = async ({ databases, passes, seconds }) => {
  const tables = [];
  for (const database of ['sqlite', 'postgresql', 'mongodb'] as const) {
    const results = await withServers(async spawn => {
      const databaseUrl = await databases.create(database);
      const users = await seed(databaseUrl);
      const floor = await spawn('floor', { databaseUrl });
      const bare = await spawn('floor-http', { databaseUrl });
      const yoga = await spawn('floor-yoga', { databaseUrl });
      const mercurius = await spawn('floor-mercurius', { databaseUrl });
      const ours = await spawn('gatehouse', { databaseUrl });
      const svc = await startSvc(databaseUrl, import.meta.dirname, { logLevel: 'info' });
      const entrants = [
        repeated('floor: Express', floor, sessionChecks(users), seconds),
        repeated('floor: node:http', bare, sessionChecks(users), seconds),
        repeated('floor: Yoga, GraphQL me', yoga, graphqlChecks(users), seconds),
        repeated('floor: mercurius, GraphQL me', mercurius, graphqlChecks(users), seconds),
        repeated('svc serve, GET /me', svc, sessionChecks(users), seconds),
        repeated('svc serve, GraphQL me', svc, graphqlChecks(users), seconds),
        repeated('Gatehouse, GET /me', ours, sessionChecks(users), seconds),
        repeated('Gatehouse, requireSession in a host', ours, hostRequests(users), seconds),
        repeated('Gatehouse, GraphQL me', ours, graphqlChecks(users), seconds),
      ];
      if (database !== 'mongodb') {
        const passport = await spawn('passport', { databaseUrl: await databases.create(database) });
        const signedIn = await passport.ask<PeerUser[]>('seed', 50);
        entrants.push(
          repeated('Passport with express-session', passport, passportSessions(signedIn), seconds),
        );
        for (const cookieCache of [false, true]) {
          const theirs = await spawn('better-auth', {
            databaseUrl: await databases.create(database),
            cookieCache,
          });
          const shots = betterSessions(await theirs.ask<PeerUser[]>('seed', 50));
          const name = `Better Auth, get-session, cookie cache ${cookieCache ? 'on' : 'off'}`;
          entrants.push(repeated(name, theirs, shots, seconds));
        }
      }
      return race(entrants, passes).finally(svc.stop);
    });
    tables.push(compared(`Session check, ${database}`, results));
  }
  return tables;
};
