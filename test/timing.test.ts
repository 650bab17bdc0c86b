import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGatehouse, type Gatehouse } from '../src/index.ts';
import { newUser } from '../src/services/new-user.ts';
import { jwtSecret } from './support/app.ts';

const password = 'correct horse battery';
const rounds = 25;
/** How long the mailer takes for a mail: what waited for it would show. */
const mailMs = 50;
const newAddress = () => `${randomUUID()}@example.org`;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** The attacker: elsewhere, so that what the server does after its answer does not hold up the clock. */
const measuring = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', async ({ url, body }) => {
    const headers = { 'Content-Type': 'application/json' };
    const startedAt = performance.now();
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.arrayBuffer();
    parentPort.postMessage(performance.now() - startedAt);
  });
`;

let gatehouse: Gatehouse;
let server: Server;
let stopwatch: Worker;
beforeAll(async () => {
  gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', logger: silent },
    // Nothing but the address may make a difference, and no lock or cap comes in between.
    ...{ loginLockoutThreshold: 1000, mailsPerAddressPerHour: 1000 },
    mailer: { send: async () => void (await sleep(mailMs)) },
  });
  await gatehouse.installSchema();
  server = express().use(gatehouse.router).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stopwatch = new Worker(measuring, { eval: true });
});
afterAll(async () => {
  await stopwatch?.terminate();
  server?.closeAllConnections();
  server?.close();
  await gatehouse?.close();
});

const urlOf = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

const post = async (path: string, body: object): Promise<number> => {
  const response = await fetch(urlOf(path), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
};

/** An address of each kind. */
async function makeAddresses() {
  const { users, pending } = gatehouse.repositories;
  async function known(): Promise<{ email: string; id: string }> {
    const email = newAddress();
    await post('/register', { email, password });
    const { hashedPassword } = (await pending.find(email))!;
    const user = newUser(new Date(), { email, fullName: null, hashedPassword, isVerified: true });
    await users.add(user);
    await pending.remove(email);
    return { email, id: user.id };
  }
  const [active, disabled, passwordless] = [await known(), await known(), await known()];
  await users.change(disabled.id, { set: { isActive: false } });
  await users.change(passwordless.id, { set: { hashedPassword: null } });
  const waiting = newAddress();
  await post('/register', { email: waiting, password });
  return {
    known: active.email,
    unknown: newAddress(),
    pending: waiting,
    disabled: disabled.email,
    passwordless: passwordless.email,
  };
}

/** How long the attacker waits for the answer, in milliseconds. */
async function measure(path: string, body: object): Promise<number> {
  const answered = once(stopwatch, 'message');
  stopwatch.postMessage({ url: urlOf(path), body: JSON.stringify(body) });
  const [ms] = await answered;
  return ms;
}

const quantile = (sorted: number[], q: number) => sorted[Math.floor((sorted.length - 1) * q)]!;

describe('the time of an answer', () => {
  // An attacker measures how long answers take, to find out which addresses have accounts.
  test.each([
    ['/login', 401, (email: string) => ({ email, password: 'wrong horse battery' })],
    ['/forgot-password', 202, (email: string) => ({ email })],
    ['/resend-verification', 202, (email: string) => ({ email })],
  ])(
    'of POST %s does not tell known, unknown, pending, disabled and passwordless addresses apart',
    { timeout: 120_000 },
    async (path, expected, bodyOf) => {
      const addresses = Object.entries(await makeAddresses());
      const samples = new Map(addresses.map(([kind]) => [kind, [] as number[]]));
      for (const [, email] of addresses) expect(await post(path, bodyOf(email))).toBe(expected);
      for (let round = 0; round < rounds; round++) {
        // The order changes, so that what one request leaves to do burdens every kind alike.
        const step = 1 + (round % (addresses.length - 1));
        for (const i of addresses.keys()) {
          const [kind, email] = addresses[(round + i * step) % addresses.length]!;
          samples.get(kind)!.push(await measure(path, bodyOf(email)));
        }
      }
      const measured = [...samples].map(([kind, all]) => {
        const sorted = all.toSorted((a, b) => a - b);
        return {
          kind,
          median: quantile(sorted, 0.5),
          spread: quantile(sorted, 0.75) - quantile(sorted, 0.25),
        };
      });
      const told = measured.flatMap(a =>
        measured
          .filter(b => a.median - b.median > Math.max(a.spread, b.spread))
          .map(b => ({ slower: a, faster: b })),
      );
      expect(told).toEqual([]);
    },
  );
});
