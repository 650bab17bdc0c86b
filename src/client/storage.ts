import { browser } from './browser.ts';

/** Where the session token is kept. */
export interface TokenStorage {
  get(): string | null;
  set(token: string): void;
  remove(): void;
}

/** The key of the bundled pages (SPEC §4.4), so that they and an application share one session. */
const key = 'svc.access_token';

/** Returns the local storage of the browser, or memory where there is none or the page may not use it. */
export function defaultStorage(): TokenStorage {
  try {
    const local = browser.window!.localStorage;
    local.getItem(key);
    return {
      get: () => local.getItem(key),
      set: token => local.setItem(key, token),
      remove: () => void local.removeItem(key),
    };
  } catch {
    let kept: string | null = null;
    return {
      get: () => kept,
      set(token) {
        kept = token;
      },
      remove() {
        kept = null;
      },
    };
  }
}
