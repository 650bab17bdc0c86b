import { join } from 'node:path';
import { expect, test } from 'vitest';

/** A script of the pages, as browsers load it. */
const { deviceName, freeName, isHandheld } = (await import(
  join(import.meta.dirname, '../../static/device-name.js')
)) as {
  deviceName: (agent: string) => string;
  freeName: (name: string, taken: string[]) => string;
  isHandheld: (agent: string) => boolean;
};

const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0';

test.each([
  [`${phone} Version/18.1 Mobile/15E148 Safari/604.1`, 'iPhone', true],
  [`${phone} CriOS/141.0.0.0 Mobile/15E148 Safari/604.1`, 'iPhone', true],
  [`Mozilla/5.0 (X11; Linux x86_64) ${chrome} Safari/537.36`, 'Chrome on Linux', false],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/141.0.0.0`,
    'Edge on Windows',
    false,
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux', false],
  [`Mozilla/5.0 (Linux; Android 15) ${chrome} Mobile Safari/537.36`, 'Chrome on Android', true],
  [`${mac} Version/18.1 Safari/605.1.15`, 'Safari on Mac', false],
  [`Mozilla/5.0 (X11; CrOS x86_64 16000) ${chrome} Safari/537.36`, 'Chrome on ChromeOS', false],
  ['curl/8.5.0', '', false],
])('%s', (agent, name, carried) => {
  expect([deviceName(agent), isHandheld(agent)]).toEqual([name, carried]);
});

test('a name that is taken gets a number', () => {
  expect(freeName('iPhone', [])).toBe('iPhone');
  expect(freeName('iPhone', ['iPhone', 'iPhone 2'])).toBe('iPhone 3');
});
