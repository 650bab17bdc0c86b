import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { needed } from '../support/needed.ts';
import { launchBrowser } from './browser.ts';

/** A browser that lives as long as the test file. Where none can be had, the tests of the file are skipped by name. */
export function useBrowser(): { readonly current: Browser | undefined } {
  const used: { current: Browser | undefined } = { current: undefined };
  const found = needed('chromium');
  if ('reason' in found) {
    beforeEach(({ skip }) => skip(`no browser: ${found.reason}`));
  } else {
    beforeAll(async () => {
      used.current = await launchBrowser();
    });
    afterAll(() => used.current?.close());
  }
  return used;
}
