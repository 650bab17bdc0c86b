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
    ['nobody, without anything', undefined, null, null],
    ['nobody, with an empty address', '', null, null],
  ])('counts for %s', async (_, ip, forwarded, expected) => {
    expect(await ask(ip, forwarded)).toBe(expected);
  });
});

describe('a request of Express', () => {
  async function ask(trust: unknown, forwarded: string | null) {
    const app = express().set('trust proxy', trust).use(gatehouse.handler);
    const server = createServer(app as RequestListener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      return await addressOf(async () =>
        (await fetch(`http://127.0.0.1:${port}/api/auth/login`, requestWith(forwarded))).text(),
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  test.each([
    ['what Express has determined', true, '203.0.113.9, 10.0.0.3', '203.0.113.9'],
    ['what a trusted proxy says, where Express trusts none', false, '203.0.113.9, 10.0.0.3', '203.0.113.9'],
    ['the proxy itself, which says nothing', false, null, '127.0.0.1'],
  ])('counts for %s', async (_, trust, forwarded, expected) => {
    expect(await ask(trust, forwarded)).toBe(expected);
  });
});
