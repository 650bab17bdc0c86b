import { fire } from '../load.ts';
import { pace } from '../pace.ts';
import { median } from '../race.ts';
import { password, passwordHash, seed } from '../seed.ts';
import { startSvc } from '../servers/svc.ts';
import { betterLogins, betterSessions, logins, type PeerUser, sessionChecks } from '../shots.ts';
import { type Part, withServers } from './part.ts';

/** Session checks a second while sign-ins flood. */
const rate = 200;
const inFlight = 32;

/** How long session checks take, sent at a steady pace, while 32 sign-ins are always in flight. */
export const flood: Part = async ({ databases, passes, seconds }) =>
  withServers(async spawn => {
    const databaseUrl = await databases.create('sqlite');
    const users = await seed(databaseUrl);
    const floor = await spawn('floor', { databaseUrl, hash: passwordHash, password });
    const ours = await spawn('gatehouse', { databaseUrl });
    const theirs = await spawn('better-auth', { databaseUrl: await databases.create('sqlite') });
    const theirUsers = await theirs.ask<PeerUser[]>('seed', 50);
    const svc = await startSvc(databaseUrl, import.meta.dirname);
    const entrants = [
      { name: 'floor', url: floor.url, checks: sessionChecks(users), floods: logins(users) },
      { name: 'Gatehouse', url: ours.url, checks: sessionChecks(users), floods: logins(users) },
      { name: 'svc serve', url: svc.url, checks: sessionChecks(users), floods: logins(users) },
      {
        name: 'Better Auth',
        url: theirs.url,
        checks: betterSessions(theirUsers),
        floods: betterLogins(theirUsers),
      },
    ].map(entrant => ({
      ...entrant,
      runs: [] as { quiet: number; p50: number; p99: number; logins: number }[],
    }));

    for (const { url, checks, floods } of entrants) {
      await fire({ url, shots: checks, seconds });
      await fire({ url, shots: floods, connections: inFlight, amount: 2 * inFlight });
    }
    for (let pass = 0; pass < passes; pass++) {
      for (const { name, url, checks, floods, runs } of entrants) {
        const quiet = await pace({ url, shots: checks, rate, seconds });
        const flooding = fire({ url, shots: floods, connections: inFlight, seconds: 2 * seconds + 1 });
        // The flood is under way before anything is counted.
        await new Promise(resolve => setTimeout(resolve, 500));
        const flooded = await pace({ url, shots: checks, rate, seconds: 2 * seconds });
        const { perSecond } = await flooding;
        runs.push({ quiet: quiet.p99, p50: flooded.p50, p99: flooded.p99, logins: perSecond });
        console.error(
          `  ${name}: p99 ${quiet.p99} ms, flooded ${flooded.p99} ms, ${Math.round(perSecond)} logins/s`,
        );
      }
    }
    await svc.stop();
    const p99 = entrants.map(({ runs }) => median(runs.map(run => run.p99)));
    return [
      {
        title: `Session checks at ${rate} a second while ${inFlight} sign-ins are in flight, sqlite`,
        columns: ['', 'p99 ms without them', 'p50 ms', 'p99 ms', 'of the floor', 'sign-ins/s'],
        rows: entrants.map(({ name, runs }, i) => [
          name,
          median(runs.map(run => run.quiet)),
          median(runs.map(run => run.p50)),
          p99[i]!,
          `${Math.round((p99[i]! / p99[0]!) * 100)} %`,
          Math.round(median(runs.map(run => run.logins))),
        ]),
      },
    ];
  });
