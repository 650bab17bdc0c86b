import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { needed } from '../support/needed.ts';
import { launchBrowser } from './browser.ts';

/** One browser serves all files of a worker; it ends with the worker's process. */
let shared: Promise<Browser> | undefined;

/** A browser whose profiles live as long as the test file at most. Where none can be had, the tests of the file are skipped by name. */
export function useBrowser(): { readonly current: Browser | undefined } {
  const used: { current: Browser | undefined } = { current: undefined };
  const found = needed('chromium');
  if ('reason' in found) {
    beforeEach(({ skip }) => skip(`no browser: ${found.reason}`));
  } else {
    beforeAll(async () => {
      if (!(await shared)?.isConnected()) shared = launchBrowser();
      used.current = await shared;
    });
    afterAll(async () => {
      await Promise.all((used.current?.contexts() ?? []).map(context => context.close()));
    });
  }
  return used;
}
