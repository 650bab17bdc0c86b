import { fire, type Shot } from '../load.ts';
import { pace } from '../pace.ts';
import { median, race } from '../race.ts';
import { type Seeded, seed } from '../seed.ts';
import { hostRequests, issues, logins, resource, sessionChecks, tokenRequests } from '../shots.ts';
import { type Part, pairwise, type Table, withServers } from './part.ts';

const key = 'a_key_for_the_bench_of_32_bytes_base64url_0';
const tokens = {
  ...{ enableTokens: true, dataEncryptionKey: key },
  resources: { orders: { identifier: resource, scopes: { 'orders:read': 'See your orders' } } },
};
/** Every capability of CONTRACT-tokens.md. */
const everyFlag = {
  ...tokens,
  ...{ enableApiKeys: true, enableForwardAuth: true, enableBrowserSessions: true, enableFederation: true },
  trustedProxies: ['192.0.2.1'],
};

/** So many tokens, one an account, are used so often each. */
const accounts = 300;
const uses = 20;
/** Requests a second while sign-ins flood. */
const rate = 200;
const inFlight = 32;

/** Returns an access token of each user's session. */
async function tokensOf(url: string, users: Seeded[]): Promise<Seeded[]> {
  const issued: Seeded[] = [];
  for (const [i, { path, headers = {}, body }] of issues(users).entries()) {
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const { access_token: token } = (await reply.json()) as { access_token: string };
    issued.push({ ...users[i]!, token });
  }
  return issued;
}

/** The session check with every flag, and the check of access tokens beside it. */
const checks: Part = async ({ databases, passes }) => {
  const tables: Table[] = [];
  for (const database of ['sqlite', 'postgresql', 'mongodb'] as const) {
    await withServers(async spawn => {
      const databaseUrl = await databases.create(database);
      const users = await seed(databaseUrl, accounts);
      const amount = uses * accounts;
      const off = await spawn('gatehouse', { databaseUrl });
      const on = await spawn('gatehouse', { databaseUrl, ...everyFlag });
      const flags = await race(
        [
          { name: 'all flags off', load: () => ({ ...off, shots: sessionChecks(users), amount }) },
          { name: 'all flags on', load: () => ({ ...on, shots: sessionChecks(users), amount }) },
        ],
        passes,
      );
      tables.push(pairwise(`Session check with flags of tokens, ${database}`, flags));

      const { url, cpuMs } = on;
      const guards = await race(
        [
          { name: 'requireSession', load: () => ({ url, cpuMs, shots: hostRequests(users), amount }) },
          {
            name: `requireToken, each token ${uses} times`,
            load: async () => ({ url, cpuMs, shots: tokenRequests(await tokensOf(url, users)), amount }),
          },
        ],
        passes,
      );
      tables.push(pairwise(`Guards in a host, ${database}`, guards));
    });
  }
  return tables;
};

/** How long tokens take to be issued while 32 sign-ins are in flight, beside session checks. */
const flood: Part = async ({ databases, passes, seconds }) =>
  withServers(async spawn => {
    const databaseUrl = await databases.create('sqlite');
    const users = await seed(databaseUrl);
    const { url } = await spawn('gatehouse', { databaseUrl, ...tokens });
    const floods = logins(users);
    const paced: { name: string; shots: Shot[]; runs: { quiet: number; p50: number; p99: number }[] }[] = [
      { name: 'session check', shots: sessionChecks(users), runs: [] },
      { name: 'POST /tokens', shots: issues(users), runs: [] },
    ];
    for (const { shots } of paced) await fire({ url, shots, seconds });
    for (let pass = 0; pass < passes; pass++) {
      for (const { name, shots, runs } of paced) {
        const quiet = await pace({ url, shots, rate, seconds });
        const flooding = fire({ url, shots: floods, connections: inFlight, seconds: 2 * seconds + 1 });
        await new Promise(resolve => setTimeout(resolve, 500));
        const { p50, p99 } = await pace({ url, shots, rate, seconds: 2 * seconds });
        await flooding;
        runs.push({ quiet: quiet.p99, p50, p99 });
        console.error(`  ${name}: p99 ${quiet.p99} ms, flooded ${p99} ms`);
      }
    }
    const [first] = paced;
    return [
      {
        title: `Tokens at ${rate} a second while ${inFlight} sign-ins are in flight, sqlite`,
        columns: ['', 'p99 ms without them', 'p50 ms', 'p99 ms', 'of the first'],
        rows: paced.map(({ name, runs }) => [
          name,
          median(runs.map(({ quiet }) => quiet)),
          median(runs.map(({ p50 }) => p50)),
          median(runs.map(({ p99 }) => p99)),
          `${Math.round(median(runs.map(({ p99 }, i) => p99 / first!.runs[i]!.p99)) * 100)} %`,
        ]),
      },
    ];
  });

/** The speed that CONTRACT §19 asks for, in one run. */
export const tokenChecks: Part = async bench => [...(await checks(bench)), ...(await flood(bench))];
