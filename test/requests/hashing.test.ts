import rust from '@node-rs/argon2';
import argon2 from 'argon2';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { PasswordHasher } from '../../src/crypto/password-hash.ts';
import { openArgon2, portableArgon2 } from '../../src/crypto/schemes/argon2.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, type Member, password, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver, describeEachKind } from '../support/backends.ts';
import { doorsOn } from '../support/doors.ts';
import { newAddress } from '../support/people.ts';

/** OWASP Password Storage Cheat Sheet, Argon2id: m = 19 MiB, t = 2, p = 1. */
const today = /^\$argon2id\$v=19\$m=19456,(?:t=2,p=1|p=1,t=2)\$/;

describeEachKind('a hash with former parameters', backend => {
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
        const email = newAddress();
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

const good = await argon2.hash('correct horse battery', {
  ...{ type: argon2.argon2id, memoryCost: 1024, timeCost: 2, parallelism: 1 },
});
/** What may stand in the place of a hash: other schemes, and hashes that were cut, mixed up or changed by hand. */
const unusable: [string, string][] = [
  ['nothing', ''],
  ['a plain password', 'correct horse battery'],
  ['bcrypt that takes minutes', '$2b$22$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ01234'],
  [
    'scrypt that takes gigabytes',
    '$scrypt$ln=20,r=8,p=1$c29tZXNhbHRzb21lc2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo',
  ],
  ['an unknown scheme', '$6$rounds=5000$saltsalt$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo'],
  ['the beginning of a hash', good.slice(0, 40)],
  // A multiple of four and one letter is no base64, whatever the letters are.
  ['a hash without its end', good.slice(0, -6)],
  ['a hash with more at its end', `${good}=`],
  ['a hash with a line break', `${good}\n`],
  ['a hash in capitals', good.toUpperCase()],
  ['a hash without its parameters', good.replace(/m=\d+,/, '')],
  ['a hash with a parameter twice', good.replace(/m=\d+/, 'p=1')],
  ['a hash without salt', good.replace(/\$[^$]*(\$[^$]*)$/, '$$$1')],
  ['a hash of too little memory', good.replace('m=1024', 'm=1')],
  ['a hash of more memory than there is', good.replace('m=1024', 'm=4294967295')],
  ['a hash of no passes', good.replace('t=2', 't=0')],
  ['a hash of passes without end', good.replace('t=2', 't=4294967295')],
  ['a hash of an unknown version', good.replace('v=19', 'v=99')],
];

describe.each([
  ['@node-rs/argon2', await openArgon2()],
  ['argon2', portableArgon2],
] as const)('a stored hash that %s cannot verify', (_, argon2) => {
  test.each(unusable)('is a wrong password and is reported: %s', async (_, hash) => {
    const reported: (string | null)[] = [];
    const hasher = new PasswordHasher({
      ...{ cost: { memoryCost: 1024, timeCost: 2 }, argon2 },
      onUnusable: id => void reported.push(id),
    });
    for (const password of ['correct horse battery', '']) {
      expect(await hasher.verify(hash, password, 'ada')).toBe(false);
    }
    expect(reported).toEqual(['ada', 'ada']);
    expect(await hasher.verify(good, 'correct horse battery', 'ada')).toBe(true);
    expect(await hasher.verify(good, 'another', 'ada')).toBe(false);
    expect(await hasher.verify(null, 'another', null)).toBe(false);
    expect(reported).toHaveLength(2);
  });
});

describeEachDriver('an account whose stored hash is damaged', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend });
  });
  afterAll(() => app?.close());
  afterEach(() => vi.restoreAllMocks());

  describe.each(doorsOn(backend))('through $name', door => {
    test.each(unusable)('refuses every password with the work of one verification: %s', async (_, hash) => {
      const member = await signUp(app);
      await app.gatehouse.repositories.users.change(member.id, { set: { hashedPassword: hash } });
      const call = door.at(app);
      app.logs.length = 0;
      const verify = vi.spyOn(rust, 'verify');
      const { email, password, token } = member;
      expect(await call('login', { email, password })).toMatchObject({ code: 'invalid_credentials' });
      const done = verify.mock.calls.filter(([hash]) => /^\$argon2id\$v=19\$m=64,/.test(String(hash)));
      expect(done.length).toBeGreaterThan(0);
      const deletion = call('deleteAccount', { current_password: password }, { token });
      expect(await deletion).toMatchObject({ code: 'wrong_password' });

      const errors = app.logs.filter(({ level }) => level === 'error');
      const record = {
        ...{ level: 'error', fields: { user_id: member.id, reason: expect.any(String) } },
        message: 'a stored password hash cannot be checked',
      };
      expect(errors).toEqual([record, record]);
      if (hash) expect(JSON.stringify(app.logs)).not.toContain(hash.slice(1, 30));
    });
  });

  test('is taken over by an operator, gets a new password by the invitation, and verifies again after a reset', async () => {
    const [one, two] = [await signUp(app), await signUp(app)];
    const { users } = app.gatehouse.repositories;
    for (const { id } of [one, two]) await users.change(id, { set: { hashedPassword: '$2b$10$abc' } });
    const { operator } = app.gatehouse as Assembled;
    const url = await operator.takeOver({ email: one.email });
    const accept = { token: new URL(url).searchParams.get('token'), password: one.password };
    expect((await app.rest('POST', '/accept-invitation', accept)).status).toBe(200);
    await logIn(app, one);

    await app.rest('POST', '/forgot-password', { email: two.email });
    const token = tokenOf(await app.nextMail(two.email));
    await app.rest('POST', '/reset-password', { token, new_password: two.password });
    await logIn(app, two);
  });
});

// Shows 63b/3.1.1.2#hash.
test('hashes are the same with and without the optional package, so that it can come and go', async () => {
  const cost = { memoryCost: 1024, timeCost: 2 };
  const optional = await openArgon2();
  expect([optional.package, portableArgon2.package]).toEqual(['@node-rs/argon2', 'argon2']);
  const hashers = [optional, portableArgon2].map(argon2 => new PasswordHasher({ cost, argon2 }));
  const hashes = await Promise.all(hashers.map(hasher => hasher.hash('correct horse battery')));
  for (const hash of hashes) {
    for (const hasher of hashers) {
      expect(await hasher.verify(hash, 'correct horse battery', null)).toBe(true);
      expect(await hasher.verify(hash, 'correct horse batterY', null)).toBe(false);
      expect(hasher.isOutdated(hash)).toBe(false);
    }
    expect(new PasswordHasher({ cost: { ...cost, timeCost: 3 } }).isOutdated(hash)).toBe(true);
  }
});
