import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, logIn, password, signUp, startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

/** A server that takes every connection and never says a word. */
let hanging: Server;
let connections: Socket[];
let app: App;

beforeEach(async () => {
  connections = [];
  hanging = createServer(socket => void connections.push(socket.on('error', () => {}))).listen(
    0,
    '127.0.0.1',
  );
  await once(hanging, 'listening');
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port()}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'example');
});
afterEach(async () => {
  // A server that hangs is also killed: waiting messages then do not delay the end.
  hanging.close();
  const died = () => connections.splice(0).forEach(socket => void socket.destroy());
  hanging.on('connection', socket => void socket.destroy());
  died();
  await app.close();
  vi.unstubAllEnvs();
});

const port = () => (hanging.address() as AddressInfo).port;

const backends: [string, () => ConfigInput][] = [
  [
    'mail server',
    () => ({ email: { backend: 'smtp', smtpHost: '127.0.0.1', smtpPort: port(), smtpStarttls: false } }),
  ],
  ['Amazon SES', () => ({ email: { backend: 'ses', sesRegion: 'eu-west-1' } })],
];

test.each(backends)(
  'while the %s hangs, every request is answered as ever, and the queue holds back',
  async (_, settings) => {
    app = await startApp({ settings: { requireVerification: false, ...settings() } });
    const email = 'ada@example.org';
    expect((await app.rest('POST', '/register', { email, password })).status).toBe(201);
    const token = await logIn(app, { email, password });
    const requests = Array.from({ length: 20 }, (_, i) =>
      app.rest('POST', '/register', { email: `${i}@example.org`, password }).then(async () => {
        return (await app.rest('POST', '/forgot-password', { email: `${i}@example.org` })).status;
      }),
    );
    expect(new Set(await Promise.all(requests))).toEqual(new Set([202]));
    expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
    await eventually(() => expect(connections.length).toBeGreaterThan(0));
    // Four are tried at once and no more, however many wait.
    expect(connections.length).toBeLessThanOrEqual(4);
  },
);

test('while Amazon SNS hangs, a second step is begun and everybody else is served', async () => {
  app = await startApp({
    settings: {
      enableSms2fa: true,
      sms: { backend: 'sns', snsRegion: 'eu-west-1' },
    },
  });
  const { token, password } = await signUp(app);
  const body = { phone_number: '+353851234567', current_password: password };
  const started = await app.rest('POST', '/phone/start', body, { token });
  expect([started.status, started.body.status]).toEqual([202, 'code_sent']);
  expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
  await eventually(() => expect(connections.length).toBe(1));
});
