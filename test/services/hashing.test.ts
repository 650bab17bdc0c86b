import { randomUUID } from 'node:crypto';
import rust from '@node-rs/argon2';
import argon2 from 'argon2';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openArgon2id, portableArgon2id } from '../../src/crypto/argon2.ts';
import { PasswordHasher } from '../../src/crypto/password-hash.ts';
import { type App, logIn, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachBackend } from '../support/backends.ts';

/** OWASP Password Storage Cheat Sheet, Argon2id: m = 19 MiB, t = 2, p = 1. */
const today = /^\$argon2id\$v=19\$m=19456,(?:t=2,p=1|p=1,t=2)\$/;

describeEachBackend('a hash with former parameters', backend => {
  let app: App;
  let member: Member;
  const hashOf = async () => (await app.gatehouse.repositories.users.find(member.id))?.hashedPassword;
  const login = (password: string) => app.rest('POST', '/login', { email: member.email, password });

  beforeAll(async () => {
    app = await startApp({ backend, hashCost: undefined });
    member = await signUp(app);
    const former = { type: argon2.argon2id, memoryCost: 8192, timeCost: 1, parallelism: 1 } as const;
    const hashedPassword = await argon2.hash(member.password, former);
    await app.gatehouse.repositories.users.change(member.id, { set: { hashedPassword } });
  });
  afterAll(() => app?.close());

  test('stays at a failed login, and becomes one of today at the next successful one', async () => {
    const former = await hashOf();
    expect((await login('a wrong password')).status).toBe(401);
    expect(await hashOf()).toBe(former);

    expect((await login(member.password)).status).toBe(200);
    const upgraded = await hashOf();
    expect(upgraded).toMatch(today);
    expect((await login(member.password)).status).toBe(200);
    expect(await hashOf()).toBe(upgraded);
  });
});

describe('a login', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ hashCost: undefined });
  });
  afterAll(() => app?.close());
  afterEach(() => vi.restoreAllMocks());

  const password = 'correct horse battery';
  const change = (member: Member, set: object) => app.gatehouse.repositories.users.change(member.id, { set });

  test.each<[string, () => Promise<{ email: string; password: string }>]>([
    ['a right password', () => signUp(app)],
    ['a wrong password', async () => ({ ...(await signUp(app)), password: 'another' })],
    ['an unknown address', async () => ({ email: 'unknown@example.org', password })],
    [
      'an account without a password',
      async () => {
        const member = await signUp(app);
        await change(member, { hashedPassword: null });
        return member;
      },
    ],
    [
      'a disabled account',
      async () => {
        const member = await signUp(app);
        await change(member, { isActive: false });
        return member;
      },
    ],
    [
      'an address that waits for verification',
      async () => {
        const email = `${randomUUID()}@example.org`;
        await app.rest('POST', '/register', { email, password });
        return { email, password };
      },
    ],
  ])('with %s does the work of one verification, no less and no more', async (_, make) => {
    // An attacker measures the time of the answer to learn which addresses have accounts.
    const { email, password } = await make();
    const verify = vi.spyOn(rust, 'verify');
    const hash = vi.spyOn(rust, 'hash');
    await app.rest('POST', '/login', { email, password });
    expect(verify.mock.calls).toEqual([[expect.stringMatching(today), password]]);
    expect(hash).not.toHaveBeenCalled();
  });

  test('waits in a queue that has an end; others are served meanwhile', async () => {
    // An attacker sends more logins than the machine can hash.
    const member = await signUp(app);
    const gate = Promise.withResolvers<boolean>();
    vi.spyOn(rust, 'verify').mockReturnValue(gate.promise);
    const flood = Array.from({ length: 300 }, (_, i) =>
      app.rest('POST', '/login', { email: `${i}@example.org`, password }),
    );
    const firstAnswered = await Promise.race(flood);
    expect(await app.gatehouse.status()).toMatchObject({ status: 'degraded', degraded: ['hashing'] });
    const { token } = member;
    expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
    gate.resolve(false);

    const replies = await Promise.all(flood);
    vi.restoreAllMocks();
    const refused = replies.filter(({ status }) => status !== 401);
    expect(refused).toContain(firstAnswered);
    expect(refused.length).toBeLessThan(100);
    for (const { status, headers, body } of refused) {
      expect([status, body.code]).toEqual([503, 'unavailable']);
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    await logIn(app, member);
  });
});

test('hashes are the same with and without the optional package, so that it can come and go', async () => {
  const cost = { memoryCost: 1024, timeCost: 2 };
  const optional = await openArgon2id();
  expect([optional.package, portableArgon2id.package]).toEqual(['@node-rs/argon2', 'argon2']);
  const [fast, portable] = [new PasswordHasher(cost, optional), new PasswordHasher(cost, portableArgon2id)];
  const hashes = await Promise.all([fast, portable].map(hasher => hasher.hash('correct horse battery')));
  for (const hash of hashes) {
    for (const hasher of [fast, portable]) {
      expect(await hasher.verify(hash, 'correct horse battery')).toBe(true);
      expect(await hasher.verify(hash, 'correct horse batterY')).toBe(false);
      expect(hasher.isOutdated(hash)).toBe(false);
    }
    expect(new PasswordHasher({ ...cost, timeCost: 3 }).isOutdated(hash)).toBe(true);
  }
});
