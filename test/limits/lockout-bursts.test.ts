import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, password, signUp, startApp } from '../support/app.ts';
import { describeEachBackend, describeEachDriver, type TestDatabase } from '../support/backends.ts';

const wrong = 'wrong horse battery';

/** How many wrong passwords lock an address. */
const threshold = 5;

describeEachDriver('the lockout', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { enableAdminRouter: true, enableSms2fa: true } });
  });
  afterAll(() => app?.close());

  describe('a burst of right passwords', () => {
    const statusesOf = (member: Member, passwords: string[]) =>
      Promise.all(
        passwords.map(async password => {
          const { status } = await app.rest('POST', '/login', { email: member.email, password });
          return status;
        }),
      );

    const burst = Array<string>(40).fill(password);

    test('of one account succeeds as a whole', async () => {
      const member = await signUp(app);
      expect(new Set(await statusesOf(member, burst))).toEqual(new Set([200]));
    });

    test('succeeds as a whole with one place left', async () => {
      const member = await signUp(app);
      expect(await statusesOf(member, Array(threshold - 1).fill(wrong))).toEqual([401, 401, 401, 401]);
      expect(new Set(await statusesOf(member, burst))).toEqual(new Set([200]));
      expect(await app.gatehouse.repositories.attempts.list(member.email)).toEqual([]);
    });
  });
});

describeEachBackend(
  'a right password among wrong ones',
  backend => {
    let database: TestDatabase;
    let servers: App[] = [];
    beforeAll(async () => {
      database = await backend.lendDatabase();
      servers = [
        await startApp({ databaseUrl: database.url }),
        await startApp({ databaseUrl: database.url }),
      ];
    });
    afterAll(async () => {
      for (const server of servers) await server.close();
      await database?.drop();
    });

    test.each([
      ['first', 0],
      ['in the middle', 20],
      ['last', 40],
    ])(
      'leaves them no more places over two servers than the count has before and after it, when it comes %s',
      async (_, place) => {
        // An attacker tries a list of passwords at once, against every server there is.
        const member = await signUp(servers[0]!);
        const guesses = Array<string>(40).fill(wrong).toSpliced(place, 0, member.password);
        const statuses = await Promise.all(
          guesses.map(async (password, i) => {
            const server = servers[i % servers.length]!;
            return (await server.rest('POST', '/login', { email: member.email, password })).status;
          }),
        );
        const refused = statuses.filter((status, i) => i !== place && status === 401).length;
        const wrongOnes = statuses.toSpliced(place, 1);
        expect(wrongOnes.filter(status => status !== 401 && status !== 429)).toEqual([]);
        expect([200, 429]).toContain(statuses[place]);
        // A session clears the count: at most one place fewer before it, and as many as ever after it.
        expect(refused).toBeLessThanOrEqual(statuses[place] === 200 ? 2 * threshold - 1 : threshold);
      },
    );
  },
  { only: ['postgresql'] },
);
