import { expect, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { checkPackages } from '../../../src/validate/configuration/packages.ts';
import { load } from '../../config/support.ts';

const google = { googleClientId: 'client', googleClientSecret: 'secret' };

/** What each optional package is for; without the last it is not needed. */
const needs: [name: string, settings: ConfigInput, withoutNeed: ConfigInput][] = [
  ['@mikro-orm/postgresql', { databaseUrl: 'postgres://u:p@h/d' }, { databaseUrl: 'sqlite:///./x.db' }],
  ['@mikro-orm/mongodb', { databaseUrl: 'mongodb://h/d' }, {}],
  ['rate-limiter-flexible', { loginRateLimit: '5/minute' }, { loginRateLimit: '' }],
  [
    'ioredis',
    { loginRateLimit: '5/minute', rateLimitStoreUrl: 'redis://h' },
    { rateLimitStoreUrl: 'redis://h' },
  ],
  ['prom-client', { enableMetrics: true }, { enableMetrics: false }],
  ['@aws-sdk/client-sesv2', { email: { backend: 'ses' } }, {}],
  ['@aws-sdk/client-sns', { sms: { backend: 'sns' } }, {}],
  ['openid-client', { enableOauth: true, oauth: google }, { enableOauth: false, oauth: google }],
  ['@simplewebauthn/server', { enablePasskeys: true }, { enablePasskeys: false }],
];

test.each(needs)('%s is missed by the settings that need it, and by no others', (name, settings, without) => {
  const isThere = (other: string) => other !== name;
  const { config } = load({ arguments: settings });
  expect(checkPackages(config, isThere)).toEqual([
    ['fail', expect.stringMatching(new RegExp(`needs the package ${name}: npm install ${name}`))],
  ]);
  expect(checkPackages(load({ arguments: without }).config, isThere)).toEqual([['ok', expect.any(String)]]);
  // Each of them is installed here.
  expect(checkPackages(config)).toEqual([['ok', expect.stringContaining(name)]]);
});

test('all that are missing are told at once', () => {
  const { config } = load({ arguments: { enableMetrics: true, databaseUrl: 'mongodb://h/d' } });
  expect(checkPackages(config, () => false)).toHaveLength(2);
});
