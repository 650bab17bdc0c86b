import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGatehouse, type Gatehouse } from '../../src/index.ts';
import { jwtSecret } from '../support/app.ts';
import { silent } from '../support/embedded.ts';

// Limits count by the client's address, so a proxy must not count as the client of everybody.

let gatehouse: Gatehouse;
const seen: (string | null)[] = [];
beforeAll(async () => {
  gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', logger: silent },
    trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
    ...{ enableSessionList: true, forgotPasswordRateLimit: '1/hour' },
  });
  await gatehouse.installSchema();
  gatehouse.on('audit', ({ ip }) => void seen.push(ip));
});
afterAll(() => gatehouse?.close());

/** Returns the address that a request counts for. */
async function addressOf(ask: () => Promise<unknown>): Promise<string | null> {
  seen.length = 0;
  await ask();
  expect(seen).toHaveLength(1);
  return seen[0]!;
}

const body = '{"email":"ada@example.org","password":"wrong horse"}';
const requestWith = (forwarded: string | null) => ({
  ...{ method: 'POST', body },
  headers: {
    'Content-Type': 'application/json',
    ...(forwarded !== null && { 'X-Forwarded-For': forwarded }),
  },
});

describe('a request of the Fetch standard', () => {
  const ask = (ip: string | undefined, forwarded: string | null) =>
    addressOf(() =>
      gatehouse.fetch(new Request('http://localhost/api/auth/login', requestWith(forwarded)), { ip }),
    );

  test.each([
    ['its own address, whatever it claims', '203.0.113.5', '198.51.100.7', '203.0.113.5'],
    [
      'the header of the proxy, where the given address is that of a trusted one',
      '127.0.0.1',
      '198.51.100.7',
      '198.51.100.7',
    ],
    ['… written as an IPv6 address', '::ffff:10.1.2.3', '198.51.100.7', '198.51.100.7'],
    [
      'the last address that no trusted proxy has',
      '10.0.0.1',
      '203.0.113.9, 198.51.100.7, 10.0.0.3',
      '198.51.100.7',
    ],
    ['the proxy itself, which says nothing', '127.0.0.1', null, '127.0.0.1'],
    ['the proxy itself, which says nonsense', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['what the proxy says, without an address', undefined, '198.51.100.7', '198.51.100.7'],
    ['an address without its port', '127.0.0.1', '203.0.113.9:51234', '203.0.113.9'],
    ['an IPv6 address without its port', '127.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['an IPv6 address without its brackets', '127.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['an IPv4 address in IPv6 without its port', '127.0.0.1', '[::ffff:203.0.113.9]:443', '203.0.113.9'],
    ['an address without its zone', '127.0.0.1', 'fe80::1%eth0', 'fe80::1'],
    ['no proxy that has a port', '10.0.0.1', '203.0.113.9:51234, 10.0.0.3:443', '203.0.113.9'],
    ['the given address without its port', '203.0.113.9:51234', null, '203.0.113.9'],
    ['nobody, without anything', undefined, null, null],
    ['nobody, with an empty address', '', null, null],
  ])('counts for %s', async (_, ip, forwarded, expected) => {
    expect(await ask(ip, forwarded)).toBe(expected);
  });
});

/** Asks an Express host, with its own setting of `trust proxy`. */
async function overExpress(trust: unknown, path: string, init: RequestInit) {
  const app = express().set('trust proxy', trust).use(gatehouse.handler);
  const server = createServer(app as RequestListener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return new Response(await response.arrayBuffer(), response);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('a request of Express', () => {
  const ask = (trust: unknown, forwarded: string | null) =>
    addressOf(() => overExpress(trust, '/api/auth/login', requestWith(forwarded)));

  test.each([
    ['what Express has determined', true, '203.0.113.9, 10.0.0.3', '203.0.113.9'],
    ['what a trusted proxy says, where Express trusts none', false, '203.0.113.9, 10.0.0.3', '203.0.113.9'],
    ['the proxy itself, which says nothing', false, null, '127.0.0.1'],
    ['what Express has determined, without its port', true, '203.0.113.9:51234', '203.0.113.9'],
    ['an address without its port', false, '203.0.113.9:51234', '203.0.113.9'],
    ['an IPv6 address without its port', false, '[2001:db8::1]:443', '2001:db8::1'],
    ['no proxy that has a port', false, '203.0.113.9:51234, 10.0.0.3:443', '203.0.113.9'],
    ['no proxy with a port that Express trusts', 1, '203.0.113.9:51234, 10.0.0.3:443', '203.0.113.9'],
  ])('counts for %s', async (_, trust, forwarded, expected) => {
    expect(await ask(trust, forwarded)).toBe(expected);
  });
});

// Azure Application Gateway writes the port of the client, which differs for every connection.
describe.each([
  {
    mount: 'fetch',
    client: '198.51.100.20',
    send: (path: string, init: RequestInit) =>
      gatehouse.fetch(new Request(`http://localhost${path}`, init), { ip: '127.0.0.1' }),
  },
  {
    mount: 'Express',
    client: '198.51.100.30',
    send: (path: string, init: RequestInit) => overExpress(false, path, init),
  },
])('behind a proxy that names ports, over $mount,', ({ client, send }) => {
  const post = (path: string, from: string, body: unknown) =>
    send(`/api/auth${path}`, { ...requestWith(from), body: JSON.stringify(body) });

  test('a limit counts all connections of one client as one', async () => {
    const statusFor = async (from: string) => (await post('/forgot-password', from, { email })).status;
    const email = 'ada@example.org';
    expect(await statusFor(`${client}:1025`)).toBe(202);
    expect(await statusFor(`${client}:1026`)).toBe(429);
    expect(await statusFor(`${client}1:1025`)).toBe(202);
  });

  test('a session is listed with the address of its client', async () => {
    const email = `from-${client}@example.org`;
    const password = 'correct horse battery';
    await gatehouse.users.create({ email, password, isVerified: true });
    const { access_token } = await (await post('/login', `${client}:1025`, { email, password })).json();
    const headers = { Authorization: `Bearer ${access_token}` };
    const { items } = await (await send('/api/auth/sessions', { headers })).json();
    expect(items).toMatchObject([{ ip: client }]);
  });
});
