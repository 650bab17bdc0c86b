import { expect, test } from 'vitest';
import { developmentSettings } from '../../../src/cli/development.ts';
import { checkSettings } from '../../../src/features/forward-auth/check.ts';
import { load, problemOf } from '../../config/support.ts';

const on = { SVC_ENABLE_FORWARD_AUTH: 'true' };
const whole = { ...on, SVC_ENABLE_BROWSER_SESSIONS: 'true', SVC_TRUSTED_PROXIES: '127.0.0.1' };

test('is off by default, and needs browser sessions and a proxy', () => {
  expect(load().config.enableForwardAuth).toBe(false);
  expect(load({ env: whole }).config.enableForwardAuth).toBe(true);
  const { SVC_ENABLE_BROWSER_SESSIONS: _, ...withoutSessions } = whole;
  expect(problemOf({ env: withoutSessions })).toMatch(/FORWARD_AUTH: needs enable_browser_sessions = true$/);
  const { SVC_TRUSTED_PROXIES: __, ...withoutProxies } = whole;
  expect(problemOf({ env: withoutProxies })).toMatch(/must name the proxy with enable_forward_auth$/);
});

test('is on in development where a proxy is named', () => {
  const of = (env: Record<string, string>) => developmentSettings(load({ env }).config);
  expect(of({ SVC_TRUSTED_PROXIES: '127.0.0.1' })).toMatchObject({ enableForwardAuth: true });
  expect(of({})).not.toHaveProperty('enableForwardAuth');
});

test('svc validate names the proxies, and fails where anybody may ask', async () => {
  const of = async (proxies: string) =>
    (await checkSettings(load({ env: { ...whole, SVC_TRUSTED_PROXIES: proxies } }).config)).map(
      each => each.finding,
    );
  expect(await of('127.0.0.1,10.0.0.0/8')).toEqual([['ok', '/forward-auth answers 127.0.0.1, 10.0.0.0/8']]);
  expect(await of('0.0.0.0/0')).toEqual([['fail', expect.stringContaining('anybody can ask')]]);
});
