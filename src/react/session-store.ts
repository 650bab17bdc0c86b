import { fromBase64url } from '../client/base64url.ts';
import { browser } from '../client/browser.ts';
import type { Client, GatehouseError, User } from '../client/index.ts';
import { createState } from './state.ts';

/** Who is signed in, as far as this browser knows. */
export type SessionState =
  | { status: 'loading'; user: null }
  | { status: 'signed-out'; user: null }
  | { status: 'signed-in'; user: User };

const loading: SessionState = { status: 'loading', user: null };
const signedOut: SessionState = { status: 'signed-out', user: null };

/** Pauses between tries to load the user while the server cannot be reached, in seconds. */
const shortestPause = 1;
const longestPause = 30;

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Returns what follows the session of a client while somebody listens: sign-in and sign-out, here and in other tabs. */
export function createSessionStore(client: Client) {
  const state = createState(loading);
  let shownToken: string | null = null;
  /** The token whose user is shown. */
  let userToken: string | null = null;
  let latest = 0;
  let pause = shortestPause;
  let retry: ReturnType<typeof setTimeout> | undefined;

  /** Reads the user of the present token. A later call makes this one irrelevant. @throws {GatehouseError} */
  async function load(): Promise<void> {
    clearTimeout(retry);
    const current = ++latest;
    shownToken = client.token;
    if (shownToken === null) return state.set(signedOut);
    // A renewal leaves the person shown, who is the same; nobody else sees them for the time of a request.
    if (state.get() === signedOut || !isSamePerson(userToken, shownToken)) state.set(loading);
    try {
      const user = await client.me();
      if (current !== latest) return;
      pause = shortestPause;
      userToken = shownToken;
      state.set({ status: 'signed-in', user });
    } catch (error) {
      const { code, retryAfter = 0 } = error as GatehouseError;
      // Of a session that has ended, the removal of its token has told already.
      if (current !== latest || code === 'unauthenticated') return;
      if (state.get() === loading) {
        retry = setTimeout(follow, Math.max(pause, retryAfter) * 1000);
        pause = Math.min(pause * 2, longestPause);
      }
      throw error;
    }
  }

  /** While the outcome is not awaited: the next try is on its way, or the user is shown as before. */
  const follow = () => void load().catch(() => {});
  const check = () => {
    if (client.token !== shownToken) follow();
  };

  function start(): () => void {
    const stop = client.subscribe(check);
    // Other tabs, and a page that comes back from the cache of the browser.
    for (const event of ['storage', 'pageshow']) browser.window?.addEventListener(event, check);
    follow();
    return () => {
      stop();
      for (const event of ['storage', 'pageshow']) browser.window?.removeEventListener(event, check);
      clearTimeout(retry);
      // A load that is under way sets no other timer.
      latest++;
    };
  }

  return {
    get: state.get,
    getOnServer: () => loading,
    subscribe: state.whileUsed(start),
    refresh: load,
    /** Ends the session; one that has ended already is no error. @throws {GatehouseError} */
    async signOut(): Promise<void> {
      await client.logout().catch((error: GatehouseError) => {
        if (error.code !== 'unauthenticated') throw error;
      });
    },
  };
}

/** Whether two session tokens are of one person; those that cannot be read are not. */
function isSamePerson(former: string | null, token: string): boolean {
  if (former === token) return true;
  const [subject, other] = [subjectOf(former), subjectOf(token)];
  return subject !== null && subject === other;
}

function subjectOf(token: string | null): string | null {
  try {
    return JSON.parse(new TextDecoder().decode(fromBase64url(token!.split('.')[1]!))).sub ?? null;
  } catch {
    return null;
  }
}
