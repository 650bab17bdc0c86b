import { expect, test } from 'vitest';
import { callerOf } from '../../src/http/caller.ts';
import { NodeRequest } from '../../src/http/node.ts';
import { clientAddress } from '../../src/http/proxies.ts';
import { createLanguages } from '../../src/words/languages.ts';

const oneLanguage = createLanguages({ locales: ['en'], defaultLocale: 'en', localeDirs: [] });
const ipOf = (ip?: string, remoteAddress?: string) =>
  callerOf(
    new NodeRequest(
      { ip, socket: { remoteAddress }, headers: {} } as never,
      clientAddress(null),
      oneLanguage,
    ),
  ).ip;

test('a client on IPv4 has one address, whether or not the server listens on IPv6 too', () => {
  expect(ipOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(ipOf(undefined, '::FFFF:192.0.2.1')).toBe('192.0.2.1');
  expect(ipOf('192.0.2.1')).toBe('192.0.2.1');
});

test('a client on IPv6 keeps its address, and an unknown one has none', () => {
  expect(['2001:db8::1', '::ffff:abcd', '::1'].map(ip => ipOf(ip))).toEqual([
    '2001:db8::1',
    '::ffff:abcd',
    '::1',
  ]);
  expect(ipOf()).toBeNull();
});
