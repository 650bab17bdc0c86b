import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { logRecords, serve, svc } from '../cli/support.ts';
import { listen } from '../support/listening.ts';

test('svc serve gives metrics and details on a listener of their own, and not to strangers', async () => {
  const { origin, written, stop } = await serve([], {
    env: { SVC_ENABLE_METRICS: 'true', SVC_METRICS_PORT: '0', SVC_LOG_LEVEL: 'debug' },
  });
  await fetch(`${origin}/api/auth/me`);
  const [, metrics] = await written(/^metrics on (http:\/\/127\.0\.0\.1:\d+)\/metrics$/m);
  const read = await fetch(`${metrics}/metrics`);
  expect([read.status, read.headers.get('Content-Type')]).toEqual([
    200,
    expect.stringMatching(/^text\/plain/),
  ]);
  expect(await read.text()).toMatch(/^gatehouse_operations_total/m);
  expect(await (await fetch(`${metrics}/readyz`)).json()).toMatchObject({ status: 'ready', degraded: [] });
  expect((await fetch(`${metrics}/api/auth/me`)).status).toBe(404);

  expect((await fetch(`${origin}/metrics`)).status).toBe(404);
  expect(await (await fetch(`${origin}/readyz`)).json()).toEqual({ status: 'ready' });
  const { code, output } = await stop();
  expect(code).toBe(0);
  // Prometheus reads them every few seconds.
  const requests = logRecords(output).filter(({ msg }) => msg === 'request');
  expect(requests.filter(({ route }) => route === '/metrics')).toMatchObject([{ level: 20, status: 200 }]);
  expect(requests.filter(({ route }) => route === '/readyz')).toMatchObject([{ level: 20 }, { level: 20 }]);
});

test('a command writes the audit record of what it did to standard error', async () => {
  const { code, stderr } = await svc(['create-admin', '--email', 'ada@example.org'], {
    env: { SVC_ADMIN_PASSWORD: 'correct horse' },
  });
  expect(code).toBe(0);
  expect(logRecords(stderr)).toMatchObject([
    { msg: 'audit', act: 'createAdmin', by: 'cli', outcome: 'ok', subject: expect.any(String) },
  ]);
  expect(stderr).not.toMatch(/ada@example|correct horse/);
});

test('an audit record of a command names who ran it', async () => {
  const create = async (env: Record<string, string> = {}) => {
    const { stderr } = await svc(['create-admin', '--email', 'ada@example.org'], {
      env: { SVC_ADMIN_PASSWORD: 'correct horse', ...env },
    });
    return logRecords(stderr)[0]!.actor;
  };
  const { username } = userInfo();
  expect(await create()).toBe(username);
  expect(await create({ SUDO_USER: 'deploy' })).toBe(`${username} (sudo: deploy)`);
  expect(await create({ SUDO_USER: username })).toBe(username);
  expect(await create({ SUDO_USER: '"\n planted' })).toBe(username);
});

test.each(['warn', 'error'])('log_level = %s keeps the audit', async level => {
  const { api, stop } = await serve([], { env: { SVC_LOG_LEVEL: level } });
  await fetch(`${api}/verify`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"token": "made up"}',
  });
  const { output } = await stop();
  expect(logRecords(output)).toMatchObject([{ level: 30, msg: 'audit', act: 'verify', outcome: 'refused' }]);
});

test('svc serve says so when the port of its metrics is in use', async () => {
  const { port, close } = await listen(() => {});
  const { code, stderr } = await svc(['serve', '--port', '0'], {
    env: { SVC_ENABLE_METRICS: 'true', SVC_METRICS_PORT: String(port) },
  });
  await close();
  expect(code).toBe(1);
  expect(stderr).toContain(
    `127.0.0.1:${port} is in use. Stop the process that listens there, or set metrics_port to another.`,
  );
});
