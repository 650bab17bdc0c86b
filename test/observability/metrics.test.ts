import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createGatehouse } from '../../src/index.ts';
import { statusOnWire } from '../../src/observability/status.ts';
import { type App, jwtSecret, signUp, signUpByMail, startApp } from '../support/app.ts';
import { featureTests } from '../support/feature-tests.ts';
import { strongSettings } from '../support/strong.ts';

let app: App;

beforeAll(async () => {
  app = await startApp({ settings: { enableMetrics: true } });
});
afterAll(() => app.close());

/** The value of a series as the text format writes it, or null when there is none. */
async function readSeries(series: string): Promise<number | null> {
  const lines = (await app.gatehouse.metrics!.text()).split('\n');
  const line = lines.find(text => text.startsWith(`${series} `));
  return line ? Number(line.slice(series.length + 1)) : null;
}

test('every metric of every feature is in docs', async () => {
  const settings = {
    ...strongSettings,
    ...featureTests.settings,
    mailStore: 'database',
    enableMetrics: true,
  };
  const everything = await startApp({ settings: settings as ConfigInput });
  onTestFinished(everything.close);
  const text = await everything.gatehouse.metrics!.text();
  const names = [...text.matchAll(/^# HELP (gatehouse_\w+)/gm)].map(([, name]) => name);
  expect(names).toContain('gatehouse_api_key_checks_total');
  const docs = join(import.meta.dirname, '../../docs');
  const pages = readdirSync(docs).filter(name => name.endsWith('.md'));
  const words = pages.map(name => readFileSync(join(docs, name), 'utf8')).join('\n');
  expect(names.filter(name => !words.includes(`\`${name}\``))).toEqual([]);
});

test('operations are counted by how they ended, and their time is taken', async () => {
  const { email } = await signUp(app);
  await app.rest('POST', '/login', { email, password: 'a wrong one' });
  const operations = (outcome: string) =>
    `gatehouse_operations_total{operation="login",outcome="${outcome}"}`;
  expect(await readSeries(operations('ok'))).toBe(1);
  expect(await readSeries(operations('invalid_credentials'))).toBe(1);
  expect(await readSeries('gatehouse_operation_duration_seconds_count{operation="login"}')).toBe(2);
  expect(await readSeries('gatehouse_database_duration_seconds_count{outcome="ok"}')).toBeGreaterThan(5);
});

test('mails, hashes and lockouts are counted', async () => {
  const { email, token } = await signUpByMail(app);
  expect(await readSeries('gatehouse_mails_total{outcome="sent"}')).toBeGreaterThan(0);
  expect(await readSeries('gatehouse_mails{state="waiting"}')).toBe(0);
  expect(await readSeries('gatehouse_text_messages_total{outcome="failed"}')).toBe(0);
  expect(await readSeries('gatehouse_hashing{state="running"}')).toBe(0);
  expect(await readSeries('gatehouse_hashing_refused_total{reason="queue_full"}')).toBe(0);
  for (let guess = 0; guess < 6; guess++) {
    await app.rest('POST', '/login', { email, password: `guess ${guess}` });
    await app.rest(
      'POST',
      '/change-password',
      { current_password: 'no', new_password: 'correct staple' },
      { token },
    );
  }
  expect(await readSeries('gatehouse_lockouts_total{subject="login"}')).toBe(1);
  expect(await readSeries('gatehouse_lockouts_total{subject="current_password"}')).toBe(1);
});

test('the process is measured once for all its instances, and closing one leaves the others their figures', async () => {
  const observe = vi.spyOn(PerformanceObserver.prototype, 'observe');
  onTestFinished(() => observe.mockRestore());
  const other = await startApp({ settings: { enableMetrics: true } });
  const [own, others] = await Promise.all([app, other].map(({ gatehouse }) => gatehouse.metrics!.text()));
  for (const text of [own, others]) expect(text).toMatch(/^process_cpu_seconds_total \d/m);
  await other.close();
  expect(observe).not.toHaveBeenCalled();
  expect(await readSeries('process_cpu_seconds_total')).toBeGreaterThan(0);
});

test('no label holds what was sent, so a stranger can’t make series', async () => {
  // An attacker sends ever new names to fill the memory of the metrics.
  const before = (await app.gatehouse.metrics!.text()).split('\n').length;
  for (let i = 0; i < 20; i++) {
    await app.rest('POST', `/planted-${i}`, {}, { headers: { 'User-Agent': `planted-${i}` } });
    await app.graphql(`mutation planted${i} { verify(input: {token: "planted-${i}"}) { id } }`);
    await app.rest('POST', '/login', { email: `planted-${i}@example.org`, password: 'planted' });
  }
  const text = await app.gatehouse.metrics!.text();
  expect(text).not.toContain('planted');
  expect(text.split('\n').length).toBeLessThan(before + 40);
});

test('an instance that is well says so of each of its parts', async () => {
  expect(await app.gatehouse.status()).toMatchObject({
    status: 'ready',
    degraded: [],
    checks: { database: { status: 'ok' }, schema: { status: 'ok' }, mail: { status: 'ok', waiting: 0 } },
  });
});

test('while the mail server refuses, it is degraded and names mail and the code', async () => {
  const refusing = createServer(socket => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise(resolve => refusing.once('listening', resolve));
  const smtpPort = ((refusing as Server).address() as { port: number }).port;
  const other = await startApp({
    settings: { email: { backend: 'smtp', smtpHost: '127.0.0.1', smtpPort, smtpStarttls: false } },
  });
  await other.rest('POST', '/register', { email: 'ada@example.org', password: 'correct horse' });
  await expect.poll(() => other.logs.some(({ message }) => message.startsWith('email not sent'))).toBe(true);
  const status = await other.gatehouse.status();
  expect([status.status, status.degraded]).toEqual(['degraded', ['mail']]);
  expect(status.checks.mail).toMatchObject({
    status: 'failing',
    lastError: { code: expect.stringMatching(/^\w+$/), secondsAgo: expect.any(Number) },
  });
  // Over HTTP every name is in snake_case.
  expect(statusOnWire(status).checks).toMatchObject({
    mail: { last_error: { seconds_ago: expect.any(Number) } },
    text_messages: { status: 'ok' },
  });
  refusing.close();
  await other.close();
});

test('while the store of its limits is away, it is degraded and says which part', async () => {
  const other = await startApp({
    settings: { rateLimitStoreUrl: 'redis://127.0.0.1:1', loginRateLimit: '5/minute' },
  });
  expect(await other.gatehouse.status()).toMatchObject({
    status: 'degraded',
    degraded: ['limits'],
    checks: { limits: { status: 'down', reason: expect.stringMatching(/^Redis at .*ECONNREFUSED/) } },
  });
  await other.close();
});

test('without its schema or its database it is not ready, and says why', async () => {
  const make = (databaseUrl: string) => createGatehouse({ jwtSecret, databaseUrl });
  const empty = await make('sqlite+aiosqlite:///:memory:');
  expect(await empty.status()).toMatchObject({
    status: 'not_ready',
    checks: { database: { status: 'ok' }, schema: { status: 'behind' } },
  });
  // Nothing listens there.
  const away = await make('postgresql+asyncpg://nobody:nothing@127.0.0.1:1/nowhere');
  expect(await away.status()).toMatchObject({
    status: 'not_ready',
    checks: {
      database: { status: 'down', reason: expect.stringMatching(/^PostgreSQL at .*ECONNREFUSED/) },
      schema: { status: 'unknown' },
    },
  });
  await Promise.all([empty.close(), away.close()]);
});
