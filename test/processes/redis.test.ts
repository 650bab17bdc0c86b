import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { withRedis } from '../support/admin.ts';
import type { Reply } from '../support/app.ts';
import { newPassword, password } from '../support/app.ts';
import { type Backend, describeEachBackend } from '../support/backends.ts';
import { isMissing } from '../support/needed.ts';
import { type Pair, type PairRequest, startPair, tally } from '../support/pair.ts';
import { newAddress } from '../support/people.ts';
import { type ServerHandle, startRedis } from '../support/servers.ts';

const both = [0, 1] as const;

describe.skipIf(isMissing('redis'))('limits counted in Redis', () => {
  describeEachBackend('by two processes', describeLimits, { only: ['postgresql'] });
});

function describeLimits(backend: Backend): void {
  let redis: ServerHandle;
  let pair: Pair;
  beforeAll(async () => {
    redis = await startRedis();
    pair = await startPair(backend, {
      SVC_RATE_LIMIT_STORE_URL: redis.url,
      SVC_LOGIN_RATE_LIMIT: '10/hour',
      SVC_FORGOT_PASSWORD_RATE_LIMIT: '1000/hour',
    });
    // The first document makes a process load its GraphQL, whose time is no matter of Redis.
    for (const at of both) await pair.rest('POST', '/graphql', { query: '{ __typename }' }, { at });
  });
  afterAll(async () => {
    await pair?.close();
    await redis?.close();
  });
  beforeEach(() => withRedis(redis.url, client => client.flushall()));

  const post = (path: string, body: object, options?: PairRequest) => pair.rest('POST', path, body, options);
  const me = (token: string, at: 0 | 1) => pair.rest('GET', '/me', undefined, { token, at });
  const login = (email: string, password: string, options?: PairRequest) =>
    post('/login', { email, password }, options);
  const forgot = (at: 0 | 1) => post('/forgot-password', { email: newAddress() }, { at });

  /** What GraphQL answers to the right password where it gives no session, in the shape of REST. */
  async function graphqlRefusal(email: string, at: 0 | 1): Promise<Reply> {
    const query = `mutation { login(input: { email: "${email}", password: "${password}" }) { __typename } }`;
    const { headers, body } = await post('/graphql', { query }, { at });
    expect(body.data).toEqual({ login: null });
    const { extensions } = body.errors[0];
    return { headers, status: extensions.status, body: extensions };
  }

  /** Somebody who is signed in. */
  async function member() {
    const { email } = await pair.addUser(newAddress());
    const { body } = await login(email, password);
    return { email, token: body.access_token as string };
  }

  /** Each process refuses what has a limit, soon and at both doors, and serves what has none. */
  async function expectOnlySessionsServed({ email, token }: { email: string; token: string }) {
    const refused = both.flatMap(at => [
      login(email, password, { at }),
      graphqlRefusal(email, at),
      forgot(at),
    ]);
    const startedAt = performance.now();
    for (const { status, headers, body } of await Promise.all(refused)) {
      expect([status, body.code]).toEqual([503, 'unavailable']);
      expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    }
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    for (const at of both) expect((await me(token, at)).status).toBe(200);
  }

  /** Each process has five seconds to find that Redis is back. */
  async function expectServedAgain({ email }: { email: string }): Promise<void> {
    const isBack = async (at: 0 | 1) => expect((await forgot(at)).status).toBe(202);
    await Promise.all(both.map(at => vi.waitFor(() => isBack(at), { timeout: 5000, interval: 50 })));
    const replies = both.flatMap(at => [login(email, password, { at }), forgot(at)]);
    expect(tally(await Promise.all(replies))).toEqual({ 200: 2, 202: 2 });
  }

  test('let exactly as many of 60 parallel logins of one client through as they say', async () => {
    // An attacker spreads his guesses over all processes, so that each sees only some of them.
    const replies = await pair.atOnce(60, (_, options) => login(newAddress(), 'wrong horse', options));
    expect(tally(replies)).toEqual({ invalid_credentials: 10, rate_limited: 50 });
    const refused = replies.filter(({ body }) => body.code === 'rate_limited');
    for (const { status, headers } of refused) {
      expect(status).toBe(429);
      const seconds = Number(headers.get('Retry-After'));
      expect(seconds).toBeGreaterThan(3500);
      expect(seconds).toBeLessThanOrEqual(3600);
    }
  });

  test('refuse sign-ins while Redis is down, and serve again when it is back', async () => {
    // An attacker brings Redis down, so that nothing is counted any more.
    const ada = await member();
    await redis.kill();
    await expectOnlySessionsServed(ada);
    await redis.start();
    await expectServedAgain(ada);
  });

  test('refuse sign-ins while Redis hangs, and serve again when it goes on', async () => {
    // Connections stay open, so that nothing says that an answer will never come.
    const ada = await member();
    redis.pause();
    await expectOnlySessionsServed(ada);
    redis.resume();
    await expectServedAgain(ada);
  });

  test('are no matter of sessions: what one process ends while Redis is down is dead at the other', async () => {
    // A thief waits for an outage, to go on with a stolen token after its owner has ended the session.
    const [ada, bob, eve] = [await member(), await member(), await member()];
    await redis.kill();
    expect((await post('/logout', {}, { token: ada.token, at: 0 })).status).toBe(200);
    expect((await post('/logout', {}, { token: bob.token, at: 1 })).status).toBe(200);
    const change = { current_password: password, new_password: newPassword };
    expect((await post('/change-password', change, { token: eve.token, at: 0 })).status).toBe(200);
    const checks = [ada, bob, eve].flatMap(({ token }) => both.map(at => me(token, at)));
    expect(tally(await Promise.all(checks))).toEqual({ unauthenticated: 6 });
    await redis.start();
    await expectServedAgain(await pair.addUser(newAddress()));
  });
}
