import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../support/chromium.ts';

const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** A Chromium without a window that makes no request by itself. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: flags });
}
