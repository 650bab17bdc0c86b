import type { Page } from 'playwright-core';

/** Returns how many bytes come over the wire until a page is complete, with nothing in the browser's cache. */
export async function weightOf(page: Page, address: string): Promise<number> {
  // Requests of the former page do not count for this one.
  await page.waitForLoadState('networkidle');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(address, { waitUntil: 'networkidle' });
  await session.detach();
  return bytes;
}
