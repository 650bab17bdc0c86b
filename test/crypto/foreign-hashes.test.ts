import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import argon2 from 'argon2';
import { describe, expect, test } from 'vitest';
import { createDataEncryption } from '../../src/crypto/data-key.ts';
import { ofNfc, type StoredPassword } from '../../src/crypto/password-form.ts';
import { PasswordHasher } from '../../src/crypto/password-hash.ts';
import { openArgon2, portableArgon2 } from '../../src/crypto/schemes/argon2.ts';
import { createSchemes, type Schemes } from '../../src/crypto/schemes/index.ts';
import { scryptForm } from '../../src/crypto/schemes/scrypt.ts';
import { holdHash, stopHash } from '../../src/crypto/stopped-password.ts';
import { firebase } from '../support/foreign.ts';

interface Foreign {
  from: string;
  password: string;
  hash: string;
}

const fixture = (name: string): Foreign[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/foreign', name), 'utf8'));
const hashes = [...fixture('npm.json'), ...fixture('python.json')];
const cost = { memoryCost: 1024, timeCost: 2 };
const hasher = new PasswordHasher({ cost, argon2: await openArgon2() });

describe('a hash that another program has made', () => {
  // Shows 63b/3.1.1.2#hash, 63b/3.1.1.2#salt.
  test.each(hashes)('of $from is verified', async ({ password, hash }) => {
    expect(() => hasher.inspect(hash)).not.toThrow();
    expect(await hasher.verify(hash, password, null)).toBe(true);
    expect(await hasher.verify(hash, `${password.slice(0, 20)}?`, null)).toBe(false);
    expect(hasher.isOutdated(hash)).toBe(true);
  });

  test('of a normalised password is verified against any form of it, and of a typed one against that form', async () => {
    const [composed, decomposed] = ['caf\u00e9 Z\u00fcrich 2', 'cafe\u0301 Zu\u0308rich 2'];
    const of = (password: string) =>
      hashes.find(foreign => foreign.from === 'bcrypt (PyPI)' && foreign.password === password)!.hash;
    expect(await hasher.verify(of(composed), decomposed, null)).toBe(true);
    expect(await hasher.verify(of(decomposed), decomposed, null)).toBe(true);
    expect(await hasher.verify(of(decomposed), composed, null)).toBe(false);
  });

  test('of bcrypt ignores what follows the 72nd byte, and a NUL is a byte as any other', async () => {
    const of = (begin: string) =>
      hashes.find(({ from, password }) => from === 'bcrypt (npm)' && password.startsWith(begin))!.hash;
    expect(await hasher.verify(of('xxx'), 'x'.repeat(72), null)).toBe(true);
    expect(await hasher.verify(of('xxx'), 'x'.repeat(71), null)).toBe(false);
    expect(await hasher.verify(of('nul'), 'nul\0byte in it', null)).toBe(true);
    expect(await hasher.verify(of('nul'), 'nul', null)).toBe(false);
    expect(await hasher.verify(of('nul'), 'nul\0another', null)).toBe(false);
  });

  test.each([
    ['the optional package', hasher],
    ['the portable one', new PasswordHasher({ cost, argon2: portableArgon2 })],
  ])('of Argon2 without a version is one of its first version, with %s', async (_, hasher) => {
    const first = await argon2.hash('correct horse', { ...cost, version: 0x10, parallelism: 1 });
    expect(first).toContain('$v=16');
    expect(await hasher.verify(first.replace('$v=16', ''), 'correct horse', null)).toBe(true);
  });
});

/** A text of base64 with so many bytes. */
const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '');
const bcrypt = (start: string) => `${start}${'a'.repeat(22)}${'B'.repeat(31)}`;
const argon = (parameters: string) => `$argon2id$v=19$${parameters}$${base64(16)}$${base64(32)}`;
const scrypt = (parameters: string) => `$scrypt$${parameters}$${base64(16)}$${base64(32)}`;
const django = (iterations: number) =>
  `pbkdf2_sha256$${iterations}$salt$${randomBytes(32).toString('base64')}`;

describe('the cost of a check', () => {
  test.each([
    bcrypt('$2b$04$'),
    bcrypt('$2y$12$'),
    bcrypt('$2a$15$'),
    argon('m=65536,t=3,p=4'),
    argon('m=262144,t=20,p=1'),
    scrypt('ln=16,r=8,p=1'),
    scrypt('ln=18,r=8,p=1'),
    scrypt('ln=20,r=1,p=1'),
    django(1_000_000),
    django(10_000_000),
    `$pbkdf2-sha512$1000000$${base64(16)}$${base64(64)}`.replaceAll('+', '.'),
  ])('is taken (%#)', hash => {
    expect(() => hasher.inspect(hash)).not.toThrow();
  });

  test.each([
    [bcrypt('$2b$16$'), /bcrypt cost 16/],
    [bcrypt('$2b$03$'), /bcrypt cost 3/],
    [argon('m=262145,t=1,p=1'), /memory in KiB 262145/],
    [argon('m=65536,t=21,p=1'), /passes 21/],
    [argon('m=65536,t=1,p=65'), /lanes 65/],
    [scrypt('ln=21,r=1,p=1'), /ln 21/],
    [scrypt('ln=19,r=8,p=1'), /512 MiB/],
    [scrypt('ln=16,r=8,p=64'), /work/],
    [django(10_000_001), /iterations 10000001/],
    [django(0), /iterations 0/],
  ])('is refused before it is paid (%#)', (hash, reason) => {
    expect(() => hasher.inspect(hash)).toThrow(reason);
  });

  test.each([
    bcrypt('$2x$10$'),
    bcrypt('$2b$10$').slice(0, -1),
    `${bcrypt('$2b$10$')}=`,
    argon('m=01024,t=1,p=1'),
    argon('m=1024,t=1,p=+1'),
    scrypt('ln=14,r=8'),
    `$scrypt$ln=14,r=8,p=1$${base64(16)}$${base64(8)}`,
    `pbkdf2_sha1$1000$salt$${base64(20)}`,
    'pbkdf2_sha256$1000$salt$not base64',
    `$pbkdf2-sha256$1000$${base64(16)}$${base64(64)}`,
    `$pbkdf2$1000$${base64(16)}$${base64(20)}`,
    'bcrypt_sha256$$2b$12$abc',
    'correct horse battery',
    `$2b$10$${'a'.repeat(5000)}`,
    '',
  ])('is unknown for what is no hash, and nothing of it is repeated (%#)', hash => {
    expect(() => hasher.inspect(hash)).toThrow();
    try {
      hasher.inspect(hash);
    } catch (error) {
      expect((error as Error).message).not.toContain(hash.slice(-8) || 'x');
    }
  });
});

describe('a hash of Firebase', () => {
  const key = () => randomBytes(32).toString('base64url');
  const own = key();
  const with_ = (...keys: [string, string?]) =>
    new PasswordHasher({ cost, encryption: createDataEncryption(...keys) });
  const parameters = {
    signerKey: Buffer.from(firebase.parameters.signer_key, 'base64'),
    saltSeparator: Buffer.from(firebase.parameters.salt_separator, 'base64'),
    rounds: firebase.parameters.rounds,
    memCost: firebase.parameters.mem_cost,
  };
  const form = with_(own).firebaseForm(parameters)(
    Buffer.from(firebase.salt, 'base64'),
    Buffer.from(firebase.hash, 'base64'),
  );

  test('is that of the test vector that Firebase has published', async () => {
    expect(await with_(own).verify(form, firebase.password, null)).toBe(true);
    expect(await with_(own).verify(form, 'user2password', null)).toBe(false);
  });

  test('does not reveal the signer key to a reader of the database', async () => {
    expect(form).not.toContain(firebase.parameters.signer_key.slice(0, 12));
    expect(form).not.toContain(Buffer.from(firebase.parameters.signer_key, 'base64').toString('base64url'));
    const reasons: string[] = [];
    for (const encryption of [undefined, createDataEncryption(key())]) {
      const other = new PasswordHasher({
        cost,
        encryption,
        onUnusable: (_, reason) => void reasons.push(reason),
      });
      expect(await other.verify(form, firebase.password, 'ada')).toBe(false);
    }
    expect(reasons).toEqual([
      expect.stringContaining('data_encryption_key'),
      expect.stringContaining('data_encryption_key_previous'),
    ]);
  });

  test('is verified after a rotation of the key', async () => {
    expect(await with_(key(), own).verify(form, firebase.password, null)).toBe(true);
  });
});

describe('a wrong password at a sign-in takes the same work for every account', () => {
  const bcryptHash = hashes.find(({ from }) => from === 'bcrypt (npm)')!.hash;
  const costly = bcrypt('$2b$08$');
  const known = new Map([
    ['bcrypt', 2 ** 8],
    ['scrypt-r8', 2 ** 12],
  ]);
  const phc = scryptForm({ ln: 12, r: 8, p: 1 }, randomBytes(16), randomBytes(32));

  /** The work of a sign-in by families, counted where it is done. */
  async function workOf(
    hash: StoredPassword | string | null,
    password: string,
  ): Promise<Record<string, number>> {
    const { hash: own, done } = await countingHasher(known);
    await own.verifySignIn(hash, password, null);
    return done();
  }

  test.each(['wrong horse battery', 'cafe\u0301'])('with the password %j', async password => {
    const none = await workOf(null, password);
    expect(none).toMatchObject({ bcrypt: expect.any(Number), 'scrypt-r8': expect.any(Number) });
    for (const hash of [bcryptHash, costly, phc, await hasher.hash('another password'), 'damaged']) {
      expect(await workOf(hash, password), hash).toEqual(none);
    }
  });

  test('and so does the right password of a hash that no longer signs in, in whatever form it was hashed', async () => {
    const password = 'cafe\u0301 \ufb01rst password';
    const none = await workOf(null, password);
    const { memoryCost, timeCost } = cost;
    for (const form of [password, password.normalize('NFC'), password.normalize('NFKC')]) {
      const made = await argon2.hash(form, { memoryCost, timeCost, parallelism: 1 });
      for (const stored of [stopHash(made), holdHash(made)])
        for (const held of [stored, { ...ofNfc(made), hashedPassword: stored }])
          expect(await workOf(held, password)).toEqual(none);
    }
  });

  test('and what this process has met counts from then on, without being told', async () => {
    const { hash: own, done } = await countingHasher(new Map());
    await own.verifySignIn(null, 'wrong horse battery', null);
    expect(done()).toEqual({ 'argon2-p1': 2048 });
    await own.verifySignIn(bcryptHash, 'wrong horse battery', null);
    expect(done()).toEqual({ 'argon2-p1': 2048, bcrypt: 32 });
    await own.verifySignIn(null, 'wrong horse battery', null);
    expect(done()).toEqual({ 'argon2-p1': 2048, bcrypt: 32 });
  });
});

test('sign-ins that begin at the same time ask once which hashes were imported', async () => {
  const answers: (() => void)[] = [];
  const readImported = () =>
    new Promise<ReadonlyMap<string, number>>(resolve => void answers.push(() => resolve(new Map())));
  const own = new PasswordHasher({ cost, readImported });
  const many = Promise.all(Array.from({ length: 5 }, () => own.verifySignIn(null, 'wrong horse', null)));
  while (answers.length === 0) await new Promise(setImmediate);
  await new Promise(setImmediate);
  for (const answer of answers) answer();
  expect(await many).toEqual([false, false, false, false, false]);
  expect(answers).toHaveLength(1);
});

/** A hasher that counts the work of its checks; `done` tells, and begins again. */
async function countingHasher(known: ReadonlyMap<string, number>) {
  const implementation = await openArgon2();
  const schemes = createSchemes(implementation);
  const counted = new Map<string, number>();
  const count = (family: string, work: number) => counted.set(family, (counted.get(family) ?? 0) + work);
  const counting: Schemes = {
    read(text) {
      const { family, work, verify } = schemes.read(text);
      return {
        family,
        work,
        verify(password) {
          count(family, work);
          return verify(password);
        },
      };
    },
    spend(family, work) {
      count(family, work);
      return schemes.spend(family, work);
    },
  };
  const options = { cost, argon2: implementation, schemes: counting, readImported: async () => known };
  return {
    hash: new PasswordHasher(options),
    done() {
      const result = Object.fromEntries([...counted].sort());
      counted.clear();
      return result;
    },
  };
}
