import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import bcrypt from 'bcrypt';
import express from 'express';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newUser } from '../src/domain/new-user.ts';
import { createGatehouse, type Gatehouse } from '../src/index.ts';
import { dataEncryptionKey, jwtSecret, password } from './support/app.ts';
import { type Listening, listen } from './support/listening.ts';
import { newAddress } from './support/people.ts';

const wrong = 'wrong horse battery';
/** A thing that takes longer shows in a few answers of each kind: a hash and a mail take as long as all the rest of an answer. */
const rounds = inject('tier') === 'all' ? 25 : 9;
/** How long the mailer takes for a mail: what waited for it would show. */
const mailMs = 50;
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
let server: Listening;
let stopwatch: Worker;
const urlOf = (path: string) => `${server.origin}${path}`;

const post = async (path: string, body: object): Promise<number> => {
  const response = await fetch(urlOf(path), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
};

/** How many consecutive failures block a password, where they are counted: more than the measurement makes. */
const most = 100;

/** Blocks the password of an account by failures of before. */
async function block({ email, id }: { email: string; id: string }): Promise<void> {
  const { password_failures } = gatehouse.repositories;
  await post('/login', { email, password: wrong });
  const row = (await password_failures.find(id))!;
  for (let failures = row.failures; failures < most; failures++) await password_failures.increment(row);
}

/** An address of each kind, and the password that is tried there. */
async function makeAddresses({ areCounted }: { areCounted: boolean }) {
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
  const imported = newAddress();
  const hashedPassword = await bcrypt.hash(password, 9);
  await users.add(newUser(new Date(), { email: imported, fullName: null, hashedPassword, isVerified: true }));
  const waiting = newAddress();
  await post('/register', { email: waiting, password });
  const blocked = areCounted ? await known() : null;
  if (blocked) await block(blocked);
  const contested = newAddress();
  for (let i = 0; i < 2; i++) await post('/register', { email: contested, password });
  return {
    known: { email: active.email, password: wrong },
    unknown: { email: newAddress(), password: wrong },
    pending: { email: waiting, password: wrong },
    contested: { email: contested, password: wrong },
    disabled: { email: disabled.email, password: wrong },
    passwordless: { email: passwordless.email, password: wrong },
    imported: { email: imported, password: wrong },
    // The right password that is in force no more is a wrong one.
    ...(blocked && { blocked: { email: blocked.email, password } }),
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

/** The pairs of kinds whose medians lie further apart than the answers of either kind scatter. */
async function tellApart(path: string, requests: [kind: string, body: object][]): Promise<string[]> {
  const samples = requests.map(([kind]) => ({ kind, all: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    // The order changes, so that what one request leaves to do burdens every kind alike.
    const step = 1 + (round % (requests.length - 1));
    for (const i of requests.keys()) {
      const at = (round + i * step) % requests.length;
      samples[at]!.all.push(await measure(path, requests[at]![1]));
    }
  }
  const measured = samples.map(({ kind, all }) => {
    const sorted = all.toSorted((a, b) => a - b);
    const spread = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    return { kind, median: quantile(sorted, 0.5), spread };
  });
  return measured.flatMap(a =>
    measured
      .filter(b => a.median - b.median > Math.max(a.spread, b.spread))
      .map(b => `${a.kind} is slower than ${b.kind}`),
  );
}

describe.each([
  { mailStore: 'memory', auditStore: 'log', maxConsecutiveFailures: 0 },
  { mailStore: 'database', auditStore: 'database', maxConsecutiveFailures: most },
] as const)(
  'the time of an answer, with messages in the $mailStore, audit in the $auditStore, at $maxConsecutiveFailures consecutive failures',
  ({ mailStore, auditStore, maxConsecutiveFailures }) => {
    beforeAll(async () => {
      gatehouse = await createGatehouse({
        ...{ mailStore, auditStore, maxConsecutiveFailures, dataEncryptionKey },
        ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', logger: silent },
        // Nothing but the address may make a difference, and no lock or cap comes in between.
        ...{ loginLockoutThreshold: 1000, mailsPerAddressPerHour: 1000 },
        mailer: { send: async () => void (await sleep(mailMs)) },
      });
      await gatehouse.installSchema();
      server = await listen(express().use(gatehouse.router));
      stopwatch = new Worker(measuring, { eval: true });
    });
    afterAll(async () => {
      await stopwatch?.terminate();
      await server?.close();
      await gatehouse?.close();
    });

    // An attacker measures how long answers take, to find out which addresses have accounts.
    test.each([
      ['/login', 401, (account: { email: string; password: string }) => account],
      ['/forgot-password', 202, ({ email }: { email: string }) => ({ email })],
      ['/resend-verification', 202, ({ email }: { email: string }) => ({ email })],
    ])(
      // Shows asvs/6.3.8.
      'of POST %s does not tell known, unknown, pending, contested, disabled, passwordless, imported and blocked addresses apart',
      { timeout: 120_000 },
      async (path, expected, bodyOf) => {
        const addresses = Object.entries(await makeAddresses({ areCounted: maxConsecutiveFailures > 0 }));
        for (const [, account] of addresses) expect(await post(path, bodyOf(account))).toBe(expected);
        const requests = addresses.map(([kind, account]): [string, object] => [kind, bodyOf(account)]);
        let told = await tellApart(path, requests);
        // A finding counts when an attacker can repeat it: other work of the machine is not the same twice.
        for (let again = 0; again < 2 && told.length > 0; again++) {
          const repeated = await tellApart(path, requests);
          told = told.filter(pair => repeated.includes(pair));
        }
        expect(told).toEqual([]);
      },
    );
  },
);
