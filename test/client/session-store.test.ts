import { afterEach, expect, test, vi } from 'vitest';
import { type Client, GatehouseError, type User } from '../../src/client/index.ts';
import { createSessionStore } from '../../src/react/session-store.ts';

// The session as `useSession` has it, without React.

afterEach(() => void vi.useRealTimers());

/** A session token of somebody. */
const tokenOf = (sub: string, jti = '1') =>
  ['{}', JSON.stringify({ sub, jti }), ''].map(part => Buffer.from(part).toString('base64url')).join('.');
const subjectOf = (token: string | null) =>
  JSON.parse(Buffer.from(token!.split('.')[1]!, 'base64url').toString()).sub;

/** A client of which a test says who is signed in, and whether the server can be reached. */
function clientOfTest() {
  const listeners = new Set<() => void>();
  const state = {
    token: null as string | null,
    isReachable: true,
    /** Before this there is no answer. */
    answer: Promise.resolve(),
  };
  const client = {
    get token() {
      return state.token;
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async me() {
      const of = state.token;
      await state.answer;
      if (!state.isReachable) throw new GatehouseError('network', 'The server cannot be reached.');
      return { email: `${subjectOf(of)}@example.org` } as User;
    },
  };
  return {
    client: client as Client,
    state,
    /** Stores another token, as a sign-in does. */
    enter(token: string | null) {
      state.token = token;
      for (const listener of listeners) listener();
    },
  };
}

const turns = () => vi.advanceTimersByTimeAsync(0);

test('no account is shown to the next person who signs in', async () => {
  vi.useFakeTimers();
  const { client, state, enter } = clientOfTest();
  const store = createSessionStore(client);
  const stop = store.subscribe(() => {});
  enter(tokenOf('ada'));
  await turns();
  expect(store.get()).toMatchObject({ status: 'signed-in', user: { email: 'ada@example.org' } });
  // Somebody else signs in, and who that is cannot be asked.
  state.isReachable = false;
  enter(tokenOf('eve'));
  await turns();
  expect(store.get()).toEqual({ status: 'loading', user: null });
  state.isReachable = true;
  await vi.advanceTimersByTimeAsync(1000);
  expect(store.get()).toMatchObject({ status: 'signed-in', user: { email: 'eve@example.org' } });
  stop();
});

test('the account before is gone at once when somebody else signs in, and stays at a renewal', async () => {
  vi.useFakeTimers();
  const { client, state, enter } = clientOfTest();
  const store = createSessionStore(client);
  const seen: string[] = [];
  const stop = store.subscribe(() => void seen.push(store.get().status));
  enter(tokenOf('ada'));
  await turns();
  let answer = () => {};
  state.answer = new Promise(resolve => {
    answer = resolve;
  });
  seen.length = 0;
  enter(tokenOf('ada', '2'));
  await turns();
  expect(seen).toEqual([]);
  expect(store.get()).toMatchObject({ status: 'signed-in', user: { email: 'ada@example.org' } });
  enter(tokenOf('eve'));
  await turns();
  expect(store.get()).toEqual({ status: 'loading', user: null });
  answer();
  await turns();
  expect(store.get()).toMatchObject({ status: 'signed-in', user: { email: 'eve@example.org' } });
  stop();
});

test('a user who is shown stays while the server cannot be reached', async () => {
  vi.useFakeTimers();
  const { client, state, enter } = clientOfTest();
  const store = createSessionStore(client);
  const stop = store.subscribe(() => {});
  enter(tokenOf('ada'));
  await turns();
  state.isReachable = false;
  await expect(store.refresh()).rejects.toMatchObject({ code: 'network' });
  expect(store.get()).toMatchObject({ status: 'signed-in', user: { email: 'ada@example.org' } });
  stop();
});

test('nobody is asked about once nobody looks', async () => {
  vi.useFakeTimers();
  const { client, state } = clientOfTest();
  state.token = tokenOf('ada');
  state.isReachable = false;
  const stop = createSessionStore(client).subscribe(() => {});
  stop();
  await turns();
  expect(vi.getTimerCount()).toBe(0);
});
