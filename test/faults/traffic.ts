import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { logRecords, serve } from '../cli/support.ts';
import { password } from '../support/app.ts';
import {
  type Answer,
  type Api,
  apiAt,
  beginAll,
  expectKept,
  type Person,
  patient,
  signUp,
} from './support.ts';

/** What CONTRACT §4.5 gives a request while the database is away, in milliseconds. */
const refusalMs = 3000;
/**
 * While another server takes over, some of a request's statements succeed slowly, so that it may take longer; a driver's own
 * limits are half a minute.
 */
export const changingMs = 15_000;

/** The level of log records that somebody must look at, as an outage that passes is not. */
const errorLevel = 50;

/** How long a client waits between two requests, in milliseconds: a loop that is refused at once would occupy the machine. */
const pauseMs = 10;

/** Clients of each process who go on whatever is answered, until they are told to end. */
function goOn(apis: Api[], people: Person[], name: string) {
  const answers: Answer[] = [];
  const registered: string[] = [];
  const refused = new Set<Person>();
  let isOver = false;

  /** Registers one person after the other, each until it is done. */
  async function register(api: Api, name: string) {
    for (let i = 0; !isOver; await sleep(pauseMs)) {
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
        await sleep(pauseMs);
      }
    }
  }

  const ended = Promise.all(apis.flatMap((api, i) => [register(api, `${name}newcomer-${i}`), use(api)]));
  async function end() {
    isOver = true;
    await ended;
    return { answers, registered, refused: [...refused] };
  }
  return { end };
}

/** Whatever the fault met, or came after it, was answered in time, and where it was not done, as unavailable. */
function expectAnsweredInTime(answers: Answer[], struckAt: number, withinMs: number): void {
  const failed = answers.filter(({ status, code }) => status >= 500 && code !== 'unavailable');
  expect(failed.map(({ status, code }) => `${status} ${code}`)).toEqual([]);
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.filter(({ retryAfter }) => !/^[1-9]\d*$/.test(retryAfter ?? ''))).toEqual([]);
  const late = answers.filter(
    ({ startedAt, endedAt }) => endedAt - Math.max(startedAt, struckAt) >= withinMs,
  );
  expect(
    late.map(answer => ({
      ...answer,
      startedAt: answer.startedAt - struckAt,
      endedAt: answer.endedAt - struckAt,
    })),
  ).toEqual([]);
}

/** What happens to the database amid writes. */
interface Fault {
  /** Resolves when the database is away, or changing. */
  strike(): Promise<void>;
  /** Brings it back, or another server into its place. */
  repair(): Promise<void>;
  /** Whether no request is served between the two. */
  isAway?: boolean;
  /** How long each process may take after the repair until it serves again, in milliseconds. */
  recoveryMs: number;
  /** How long a request may take, in milliseconds. */
  withinMs?: number;
}

/** Two processes of the service on one database, and people who use both. */
export async function startTraffic(databaseUrl: string) {
  const env = { SVC_DATABASE_URL: databaseUrl, SVC_REQUIRE_VERIFICATION: 'false' };
  const processes = await Promise.all([serve([], { env }), serve([], { env })]);
  const apis = processes.map(({ api }) => apiAt(api));
  const [bystander] = (await signUp(apis[0]!, 1, 'bystander-')) as [Person];
  let faults = 0;

  const isServed = async (api: Api) => {
    expect((await api.me(bystander.token)).status).toBe(200);
    expect((await api.login(bystander.email, password)).status).toBe(200);
  };

  return {
    apis,
    /** Lets a fault happen, checks that what was acknowledged is kept, and returns all answers since then. */
    async suffer({ strike, repair, isAway = false, recoveryMs, withinMs = refusalMs }: Fault) {
      const name = `fault-${++faults}-`;
      const people = await signUp(apis[0]!, 30, name);
      const others = goOn(apis, people, name);
      const { halfAcknowledged, acts } = beginAll(people, apis);
      await halfAcknowledged;
      const struckAt = performance.now();
      await strike();
      const ended = isAway ? await acts : [];
      const away = isAway ? await Promise.all(apis.map(api => api.me(bystander.token))) : [];
      expect(away.filter(({ status }) => status !== 503)).toEqual([]);
      await repair();
      const within = { timeout: recoveryMs, interval: 20 };
      await Promise.all(apis.map(api => vi.waitFor(() => isServed(api), within)));

      const { answers, registered, refused } = await others.end();
      ended.push(...(isAway ? [] : await acts));
      expect(ended.filter(({ answer }) => !answer)).toEqual([]);
      const all = [...ended.map(({ answer }) => answer!), ...away, ...answers];
      expectAnsweredInTime(all, struckAt, withinMs);
      for (const api of apis.map(patient)) {
        await expectKept(api, ended);
        const logins = await Promise.all(registered.map(email => api.login(email, password)));
        expect(logins.filter(({ status }) => status !== 200)).toEqual([]);
        const uses = await Promise.all(refused.map(({ token }) => api.me(token)));
        expect(uses.filter(({ status }) => status !== 401)).toEqual([]);
      }
      return { struckAt, answers: all };
    },
    /** Ends both processes, which have nothing to tell that somebody must look at. */
    async stop(): Promise<void> {
      const stops = await Promise.all(processes.map(process => process.stop()));
      expect(stops.map(({ code }) => code)).toEqual([0, 0]);
      const records = stops.flatMap(({ output }) => logRecords(output));
      expect(records.filter(({ level }) => Number(level) >= errorLevel)).toEqual([]);
    },
  };
}
