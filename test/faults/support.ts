import { expect } from 'vitest';
import { newPassword, password } from '../support/app.ts';

/** What a client sees of an answer, and when. */
export interface Answer {
  /** What was asked for. */
  request: string;
  status: number;
  code: string | undefined;
  retryAfter: string | null;
  /** The session of a login. */
  token: string | undefined;
  startedAt: number;
  endedAt: number;
}

const isAcknowledged = ({ status }: Answer) => status >= 200 && status < 300;

/** A client of the process that serves there; it rejects when there is no answer. */
export function apiAt(url: string) {
  async function call(method: string, path: string, body?: object, token?: string): Promise<Answer> {
    const startedAt = performance.now();
    const response = await fetch(url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const json = (await response.json()) as { code?: string; access_token?: string };
    return {
      request: `${method} ${path}`,
      status: response.status,
      code: json.code,
      retryAfter: response.headers.get('Retry-After'),
      token: json.access_token,
      startedAt,
      endedAt: performance.now(),
    };
  }
  return {
    call,
    login: (email: string, password: string) => call('POST', '/login', { email, password }),
    register: (email: string) => call('POST', '/register', { email, password }),
    me: (token: string) => call('GET', '/me', undefined, token),
  };
}

export type Api = ReturnType<typeof apiAt>;

export interface Person {
  email: string;
  token: string;
}

/** So many people, registered and signed in, whose addresses begin with `name`. */
export function signUp(api: Api, count: number, name = ''): Promise<Person[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const email = `${name}${i}@example.org`;
      await api.register(email);
      return { email, token: (await api.login(email, password)).token! };
    }),
  );
}

/** The same client, which tries again as long as it is refused as unavailable: a set with a new primary is slow for a while. */
export function patient(api: Api): Api {
  async function untilServed(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await ask();
      if (answer.status !== 503) return answer;
    }
  }
  return {
    ...api,
    login: (...given) => untilServed(() => api.login(...given)),
    me: (...given) => untilServed(() => api.me(...given)),
  };
}

/** An operation that is under way when something is killed, and what must hold once it was acknowledged. */
interface Kind {
  begin(api: Api, person: Person): Promise<Answer>;
  holds(api: Api, person: Person, answer: Answer): Promise<void>;
}

async function expectOut(api: Api, { token }: Person): Promise<void> {
  expect((await api.me(token)).status).toBe(401);
}

const kinds: Kind[] = [
  {
    begin: (api, { email }) => api.register(`new-${email}`),
    holds: async (api, { email }) => expect((await api.login(`new-${email}`, password)).status).toBe(200),
  },
  {
    begin(api, { token }) {
      const body = { current_password: password, new_password: newPassword };
      return api.call('POST', '/change-password', body, token);
    },
    async holds(api, person) {
      await expectOut(api, person);
      expect((await api.login(person.email, password)).status).toBe(401);
      expect((await api.login(person.email, newPassword)).status).toBe(200);
    },
  },
  {
    begin: (api, { email }) => api.login(email, password),
    holds: async (api, _, { token }) => expect((await api.me(token!)).status).toBe(200),
  },
  {
    begin: (api, { token }) => api.call('POST', '/logout', undefined, token),
    holds: expectOut,
  },
  {
    begin: (api, { token }) => api.call('POST', '/logout', { everywhere: true }, token),
    holds: expectOut,
  },
];

/** What one person asked for, and what the answer was; none where the connection broke. */
export interface Act {
  person: Person;
  kind: Kind;
  answer: Answer | null;
}

/** How many operations are under way at the same time. */
const atOnce = 10;

/**
 * Performs an operation of each person, of all kinds in turn, spread over the processes. Some of each kind have ended,
 * and some are under way, when half are acknowledged.
 */
export function beginAll(people: Person[], apis: Api[]) {
  const half = Promise.withResolvers<void>();
  const acts: Act[] = [];
  const waiting = people.entries();
  async function work() {
    for (const [i, person] of waiting) {
      const kind = kinds[i % kinds.length]!;
      const api = apis[Math.floor(i / kinds.length) % apis.length]!;
      const answer = await kind.begin(api, person).catch(() => null);
      acts.push({ person, kind, answer });
      if (acts.filter(act => act.answer && isAcknowledged(act.answer)).length === people.length / 2)
        half.resolve();
    }
  }
  const ended = Promise.all(Array.from({ length: atOnce }, work));
  return { halfAcknowledged: half.promise, acts: ended.then(() => acts) };
}

/** What was acknowledged holds. What was not, happened or did not; either way one of the two passwords is right. */
export async function expectKept(api: Api, acts: Act[]): Promise<void> {
  await Promise.all(
    acts.map(async ({ person, kind, answer }) => {
      if (answer && isAcknowledged(answer)) return kind.holds(api, person, answer);
      const tries = await Promise.all([password, newPassword].map(word => api.login(person.email, word)));
      expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    }),
  );
}
