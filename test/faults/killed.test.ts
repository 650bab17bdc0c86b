import { expect, test } from 'vitest';
import { serve } from '../cli/support.ts';
import { describeEachBackend } from '../support/backends.ts';

const password = 'correct horse battery';
const newPassword = 'another horse battery';

interface Person {
  email: string;
  token: string;
}

/** An operation that is under way when the process is killed, and what must hold when it was acknowledged. */
interface Kind {
  begin(api: Api, person: Person): Promise<number>;
  holds(api: Api, person: Person): Promise<void>;
}

type Api = ReturnType<typeof apiAt>;

function apiAt(url: string) {
  const call = async (method: string, path: string, body?: object, token?: string) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const login = (email: string, password: string) => call('POST', '/login', { email, password });
  return {
    call,
    login,
    register: async (email: string) => (await call('POST', '/register', { email, password })).status,
    isRefused: async ({ token }: Person) =>
      expect((await call('GET', '/me', undefined, token)).status).toBe(401),
  };
}

const kinds: Kind[] = [
  {
    begin: (api, { email }) => api.register(`new-${email}`),
    holds: async (api, { email }) => expect((await api.login(`new-${email}`, password)).status).toBe(200),
  },
  {
    begin: async (api, { token }) => {
      const body = { current_password: password, new_password: newPassword };
      return (await api.call('POST', '/change-password', body, token)).status;
    },
    async holds(api, person) {
      await api.isRefused(person);
      expect((await api.login(person.email, password)).status).toBe(401);
      expect((await api.login(person.email, newPassword)).status).toBe(200);
    },
  },
  {
    begin: async (api, { token }) => (await api.call('POST', '/logout', undefined, token)).status,
    holds: (api, person) => api.isRefused(person),
  },
  {
    begin: async (api, { token }) => (await api.call('POST', '/logout', { everywhere: true }, token)).status,
    holds: (api, person) => api.isRefused(person),
  },
];

describeEachBackend(
  'a process that is killed amid writes',
  backend => {
    test('has lost nothing that it acknowledged, and its successor serves at once', async () => {
      const database = await backend.createDatabase();
      const env = { SVC_DATABASE_URL: database.url, SVC_REQUIRE_VERIFICATION: 'false' };
      const first = await serve([], { env });
      const before = apiAt(first.api);
      const people = await Promise.all(
        Array.from({ length: 24 }, async (_, i): Promise<Person> => {
          const email = `${i}@example.org`;
          await before.register(email);
          return { email, token: (await before.login(email, password)).body.access_token };
        }),
      );

      const acknowledged = new Set<Person>();
      const half = Promise.withResolvers<void>();
      const kindOf = (person: Person) => kinds[people.indexOf(person) % kinds.length]!;
      const under = people.map(async person => {
        // The request that the kill meets has no answer.
        const status = await kindOf(person)
          .begin(before, person)
          .catch(() => 0);
        if (status >= 200 && status < 300) acknowledged.add(person);
        if (acknowledged.size === people.length / 2) half.resolve();
      });
      await half.promise;
      first.signal('SIGKILL');
      await Promise.all(under);

      const second = await serve([], { env });
      const after = apiAt(second.api);
      await Promise.all([...acknowledged].map(person => kindOf(person).holds(after, person)));
      // What was not acknowledged happened or did not; either way the account is whole.
      for (const person of people.filter(person => !acknowledged.has(person))) {
        const tries = await Promise.all([password, newPassword].map(word => after.login(person.email, word)));
        expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 401]);
      }
      await second.stop();
      await database.drop();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
