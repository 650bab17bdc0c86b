import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reply } from '../support/app.ts';
import { password } from '../support/app.ts';
import { describeEachBackend } from '../support/backends.ts';
import { type Pair, startPair, tally } from '../support/pair.ts';
import { newAddress } from '../support/people.ts';
import { repetitions } from '../support/repetitions.ts';

const most = 5;

describeEachBackend(
  'sessions at two processes',
  backend => {
    let pair: Pair;
    beforeAll(async () => {
      pair = await startPair(backend, {
        SVC_ENABLE_SESSION_LIST: 'true',
        SVC_MAX_SESSIONS_PER_USER: String(most),
      });
    });
    afterAll(() => pair?.close());

    const me = (token: string, at: 0 | 1) => pair.rest('GET', '/me', undefined, { token, at });
    async function isAlive(token: string): Promise<boolean> {
      const [one, two] = [await me(token, 0), await me(token, 1)];
      expect(one.status).toBe(two.status);
      return one.status === 200;
    }
    const tokenIn = ({ body }: Reply): string => body.access_token;

    async function newMember() {
      const email = newAddress();
      await pair.addUser(email);
      const login = { email, password };
      return { login, signIn: async () => tokenIn(await pair.rest('POST', '/login', login)) };
    }

    test('many sign-ins at once leave as many as there may be', async () => {
      const { login } = await newMember();
      const replies = await pair.atOnce(repetitions(200), (_, options) =>
        pair.rest('POST', '/login', login, options),
      );
      // Where the machine cannot hash so many within three seconds, the rest may try again (CONTRACT §4.5); none is locked.
      const refused = replies.filter(({ status }) => status !== 200);
      for (const { body } of refused) expect(body.code).toBe('unavailable');
      expect(refused.length).toBeLessThan(replies.length);
      const later = [];
      for (const _ of refused) later.push(await pair.rest('POST', '/login', login));
      expect(later.filter(({ status }) => status !== 200)).toEqual([]);
      const tokens = [...replies, ...later].filter(({ status }) => status === 200).map(tokenIn);
      const alive = [];
      for (const token of tokens) if (await isAlive(token)) alive.push(token);
      expect(alive).toHaveLength(most);
      const { body } = await pair.rest('GET', '/sessions', undefined, { token: alive[0]! });
      expect(body.items.map(({ id }: { id: string }) => id).toSorted()).toEqual(
        alive.map(token => decodeJwt(token).jti).toSorted(),
      );
    });

    test('an ended session is refused at both at once', async () => {
      const { signIn } = await newMember();
      const [mine, other] = [await signIn(), await signIn()];
      // Both know the session as a good one.
      expect(await isAlive(other)).toBe(true);
      const id = decodeJwt(other).jti!;
      const ended = await pair.rest('DELETE', `/sessions/${id}`, undefined, { token: mine, at: 0 });
      expect(ended.status).toBe(200);
      expect(await isAlive(other)).toBe(false);
      expect(await isAlive(mine)).toBe(true);
    });

    test('of 20 times that a session signs in again at once, one replaces it', async () => {
      const { signIn } = await newMember();
      const [token, bystander] = [await signIn(), await signIn()];
      const replies = await pair.atOnce(20, (_, options) =>
        pair.rest('POST', '/reauthenticate', { password }, { ...options, token }),
      );
      const { 200: replaced, ...others } = tally(replies);
      expect(replaced).toBe(1);
      // The others lost the session meanwhile, or had to wait for the guesses before theirs.
      expect(
        Object.keys(others).filter(code => !['unauthenticated', 'account_locked'].includes(code)),
      ).toEqual([]);
      expect(await isAlive(token)).toBe(false);
      const fresh = tokenIn(replies.find(({ status }) => status === 200)!);
      expect(await isAlive(fresh)).toBe(true);
      expect(await isAlive(bystander)).toBe(true);
      const { body } = await pair.rest('GET', '/sessions', undefined, { token: fresh });
      expect(body.items).toHaveLength(2);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
