import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { logRecords, serve } from '../cli/support.ts';
import { startMongo, startPostgres } from '../support/servers.ts';
import {
  type Answer,
  type Api,
  apiAt,
  beginAll,
  expectKept,
  type Person,
  password,
  signUp,
} from './support.ts';

/** What CONTRACT §4.5 gives a request while the database is away, in milliseconds, and service once it is back. */
const refusalMs = 3000;
const recoveryMs = 5000;

/** The level of log records that somebody must look at, as an outage that passes is not. */
const errorLevel = 50;

/** Clients of each process who go on whatever is answered, until they are told to end. */
function goOn(apis: Api[], people: Person[]) {
  const answers: Answer[] = [];
  const registered: string[] = [];
  const refused = new Set<Person>();
  let isOver = false;

  /** Registers one person after the other, each until it is done. */
  async function register(api: Api, name: string) {
    for (let i = 0; !isOver; ) {
      const email = `${name}-${i}@example.org`;
      const answer = await api.register(email);
      answers.push(answer);
      // Somebody whose registration was refused may have an account all the same.
      if (answer.status !== 201 && answer.code !== 'email_taken') continue;
      registered.push(email);
      i++;
    }
  }

  /** Uses one token after the other, and remembers those that were refused. */
  async function use(api: Api) {
    while (!isOver) {
      for (const person of people) {
        const answer = await api.me(person.token);
        answers.push(answer);
        if (answer.status === 401) refused.add(person);
      }
    }
  }

  const ended = Promise.all(apis.flatMap((api, i) => [register(api, `newcomer-${i}`), use(api)]));
  async function end() {
    isOver = true;
    await ended;
    return { answers, registered, refused: [...refused] };
  }
  return { end };
}

/** Whatever the kill met, or came after it, was answered in time, and where it was not done, as unavailable. */
function expectAnsweredInTime(answers: Answer[], killedAt: number): void {
  const failed = answers.filter(({ status }) => status >= 500);
  expect(new Set(failed.map(({ status, code }) => `${status} ${code}`))).toEqual(
    new Set(['503 unavailable']),
  );
  expect(failed.filter(({ retryAfter }) => !/^[1-9]\d*$/.test(retryAfter ?? ''))).toEqual([]);
  const waits = answers.map(({ startedAt, endedAt }) => endedAt - Math.max(startedAt, killedAt));
  expect(Math.max(...waits)).toBeLessThan(refusalMs);
}

const missing = Object.entries(inject('servers')).flatMap(([name, server]) =>
  'reason' in server ? name : [],
);

describe.for([
  ['postgresql', startPostgres, (url: string) => url.replace(':', '+asyncpg:')],
  ['mongodb', startMongo, (url: string) => `${url}svc`],
  ['mongodb-replica', () => startMongo({ replicaSet: true }), (url: string) => url.replace('/?', '/svc?')],
] as const)('a database server that is killed amid writes (%s)', ([name, start, toUrl]) => {
  test.skipIf(missing.includes(name))(
    'has lost nothing that two processes acknowledged, and they go on when it is back',
    async () => {
      // The database server runs out of memory or its machine dies, in the midst of what people ask for.
      const server = await start();
      onTestFinished(() => server.close());
      const env = { SVC_DATABASE_URL: toUrl(server.url), SVC_REQUIRE_VERIFICATION: 'false' };
      const processes = await Promise.all([serve([], { env }), serve([], { env })]);
      const apis = processes.map(({ api }) => apiAt(api));
      const [bystander, ...people] = await signUp(apis[0]!, 31);

      const others = goOn(apis, people);
      const { halfAcknowledged, acts } = beginAll(people, apis);
      await halfAcknowledged;
      const killedAt = performance.now();
      await server.kill();
      const ended = await acts;
      expect(ended.filter(({ answer }) => !answer)).toEqual([]);
      const away = await Promise.all(apis.map(api => api.me(bystander!.token)));
      expect(away.map(({ status }) => status)).toEqual([503, 503]);

      await server.start();
      const isServed = async (api: Api) => {
        expect((await api.me(bystander!.token)).status).toBe(200);
        expect((await api.login(bystander!.email, password)).status).toBe(200);
      };
      const within = { timeout: recoveryMs, interval: 20 };
      await Promise.all(apis.map(api => vi.waitFor(() => isServed(api), within)));

      const { answers, registered, refused } = await others.end();
      expectAnsweredInTime([...ended.map(({ answer }) => answer!), ...away, ...answers], killedAt);
      for (const api of apis) {
        await expectKept(api, ended);
        const logins = await Promise.all(registered.map(email => api.login(email, password)));
        expect(logins.filter(({ status }) => status !== 200)).toEqual([]);
        const uses = await Promise.all(refused.map(({ token }) => api.me(token)));
        expect(uses.filter(({ status }) => status !== 401)).toEqual([]);
      }

      const stops = await Promise.all(processes.map(process => process.stop()));
      expect(stops.map(({ code }) => code)).toEqual([0, 0]);
      const records = stops.flatMap(({ output }) => logRecords(output));
      expect(records.filter(({ level }) => Number(level) >= errorLevel)).toEqual([]);
    },
  );
});
