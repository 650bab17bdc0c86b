import { afterEach, expect, test, vi } from 'vitest';
import { type Client, GatehouseError, type User } from '../../src/client/index.ts';
import { createSessionStore } from '../../src/react/session-store.ts';

// The session as `useSession` has it, without React.

afterEach(() => void vi.useRealTimers());

/** A client of which a test says who is signed in, and whether the server can be reached. */
function clientOfTest() {
  const listeners = new Set<() => void>();
  const state = { token: null as string | null, isReachable: true };
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
      if (!state.isReachable) throw new GatehouseError('network', 'The server cannot be reached.');
      return { email: `${of}@example.org` } as User;
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
  enter('ada');
  await turns();
  expect(store.get()).toMatchObject({ status: 'signed-in', user: { email: 'ada@example.org' } });
  // Somebody else signs in, and who that is cannot be asked.
  state.isReachable = false;
  enter('eve');
  await turns();
  expect(store.get()).toEqual({ status: 'loading', user: null });
  state.isReachable = true;
  await vi.advanceTimersByTimeAsync(1000);
  expect(store.get()).toMatchObject({ status: 'signed-in', user: { email: 'eve@example.org' } });
  stop();
});

test('a user who is shown stays while the server cannot be reached', async () => {
  vi.useFakeTimers();
  const { client, state, enter } = clientOfTest();
  const store = createSessionStore(client);
  const stop = store.subscribe(() => {});
  enter('ada');
  await turns();
  state.isReachable = false;
  await expect(store.refresh()).rejects.toMatchObject({ code: 'network' });
  expect(store.get()).toMatchObject({ status: 'signed-in', user: { email: 'ada@example.org' } });
  stop();
});

test('nobody is asked about once nobody looks', async () => {
  vi.useFakeTimers();
  const { client, state } = clientOfTest();
  state.token = 'ada';
  state.isReachable = false;
  const stop = createSessionStore(client).subscribe(() => {});
  stop();
  await turns();
  expect(vi.getTimerCount()).toBe(0);
});
