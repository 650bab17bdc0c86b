import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import type { MfaCode } from '../../src/entities/mfa-code.ts';
import type { OAuthIdentity } from '../../src/entities/oauth-identity.ts';
import type { OAuthState } from '../../src/entities/oauth-state.ts';
import type { PendingRegistration } from '../../src/entities/pending-registration.ts';
import type { User } from '../../src/entities/user.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

const at = (ms: number) => new Date(1_763_726_400_000 + ms);
/** Text that means something to one database or another. */
const hostile = `x'); drop table users;-- $ne {"$gt":""} \\ ? $1 \${a} %_ "q" \`b\` Zoë 😀`;

let counter = 0;
function user(fields: Partial<User> = {}): User {
  counter++;
  return {
    id: `user-${counter}`,
    email: `user-${counter}@example.org`,
    fullName: null,
    hashedPassword: null,
    phoneNumber: null,
    isActive: true,
    isVerified: false,
    isSuperuser: false,
    isMfaEnabled: false,
    createdAt: at(1),
    updatedAt: at(2),
    lastLogin: null,
    tokensInvalidatedAfter: null,
    lastIssuedAt: null,
    ...fields,
  };
}

const pendingRow = (fields: Partial<PendingRegistration> = {}): PendingRegistration => ({
  email: `pending-${++counter}@example.org`,
  tokenHash: `hash-${counter}`,
  userId: null,
  hashedPassword: 'h',
  fullName: null,
  createdAt: at(0),
  expiresAt: at(1000),
  ...fields,
});

const code = (fields: Partial<MfaCode> = {}): Omit<MfaCode, 'id'> => ({
  userId: `user-${++counter}`,
  kind: 'login',
  phoneNumber: '+4915112345678',
  codeHash: `hash-${counter}`,
  attempts: 0,
  createdAt: at(0),
  expiresAt: at(1000),
  ...fields,
});

const state = (fields: Partial<OAuthState> = {}): OAuthState => ({
  id: `state-${++counter}`,
  provider: 'google',
  mode: 'signin',
  codeVerifier: 'v',
  nonce: 'n',
  redirectTo: '/account/me',
  codeChallenge: null,
  linkingUserId: null,
  linkingSession: null,
  resultToken: null,
  wasNewAccount: false,
  createdAt: at(0),
  expiresAt: at(1000),
  ...fields,
});

const identity = (fields: Partial<OAuthIdentity> = {}): OAuthIdentity => ({
  id: `identity-${++counter}`,
  provider: 'google',
  subjectId: `subject-${counter}`,
  userId: `user-${counter}`,
  email: null,
  linkedAt: at(0),
  lastUsedAt: null,
  ...fields,
});

/** Runs the same thing `n` times at once and answers how often it said yes. */
async function winners(n: number, work: () => Promise<boolean>): Promise<number> {
  const results = await Promise.all(Array.from({ length: n }, work));
  return results.filter(Boolean).length;
}

describeEachBackend('storage', backend => {
  let database: TestDatabase;
  let storage: Storage;

  beforeAll(async () => {
    database = await backend.createDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
    await storage.install();
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });

  describe('schema', () => {
    test('is current after installing, however often', async () => {
      await storage.install();
      await storage.install();
      expect(await storage.schemaState()).toBe('current');
    });
  });

  describe('users', () => {
    test('give back every field as it was stored, times to the millisecond and hostile text untouched', async () => {
      const stored = user({
        fullName: hostile,
        hashedPassword: hostile,
        lastLogin: at(123),
        tokensInvalidatedAfter: at(456),
        lastIssuedAt: at(789),
        isSuperuser: true,
      });
      expect(await storage.repositories.users.add(stored)).toBe(true);
      expect(await storage.repositories.users.find(stored.id)).toEqual(stored);
      expect(await storage.repositories.users.findByEmail(stored.email)).toEqual(stored);
      const session = await storage.repositories.users.findSession(stored.id, 'no-such-jti');
      expect(session).toEqual({ user: stored, isBlacklisted: false });
    });

    test('have unique addresses: of 40 that register one at once, one gets it', async () => {
      const email = `race-${++counter}@example.org`;
      expect(await winners(40, () => storage.repositories.users.add(user({ email })))).toBe(1);
    });

    test('are found by nothing but text', async () => {
      const { users } = storage.repositories;
      expect(await users.find(hostile)).toBeNull();
      expect(await users.findByEmail(hostile)).toBeNull();
      expect(await users.findSession(hostile, hostile)).toBeNull();
    });

    test('are not found by a text that no database holds, and an error does not repeat it', async () => {
      const { users } = storage.repositories;
      const answer = users.findByEmail('secret\0text').catch(error => String(error));
      expect([null, 'StorageError: The database refused a statement (22021).']).toContain(await answer);
    });

    test('change only while the conditions hold', async () => {
      const stored = user({ tokensInvalidatedAfter: at(5) });
      const { users } = storage.repositories;
      await users.add(stored);
      const change = { set: { fullName: hostile } };
      expect(await users.change(stored.id, change, { tokensInvalidatedAfter: at(4) })).toBe(false);
      expect(await users.change(stored.id, change, { tokensInvalidatedAfter: null })).toBe(false);
      expect(await users.change(stored.id, change, { tokensInvalidatedAfter: at(5), isActive: false })).toBe(
        false,
      );
      expect((await users.find(stored.id))?.fullName).toBeNull();
      expect(await users.change(stored.id, change, { tokensInvalidatedAfter: at(5), isActive: true })).toBe(
        true,
      );
      expect((await users.find(stored.id))?.fullName).toBe(hostile);
      expect(await users.change('nobody', change)).toBe(false);
    });

    test('say yes to a change that changes nothing', async () => {
      const stored = user({ fullName: 'Same' });
      const { users } = storage.repositories;
      await users.add(stored);
      expect(
        await users.change(stored.id, { set: { fullName: 'Same' } }, { tokensInvalidatedAfter: null }),
      ).toBe(true);
      expect(await users.change(stored.id, { set: {} })).toBe(true);
      expect(await users.change('nobody', { set: {} })).toBe(false);
    });

    test('can be set to text that begins with a dollar sign, which is a field name to one database', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      await users.change(stored.id, { set: { fullName: '$hashed_password' }, cutOffAt: at(9) });
      expect((await users.find(stored.id))?.fullName).toBe('$hashed_password');
    });

    test('refuse the address of somebody else', async () => {
      const [one, two] = [user(), user()];
      const { users } = storage.repositories;
      await users.add(one);
      await users.add(two);
      expect(await users.change(two.id, { set: { email: one.email } })).toBe('email_taken');
      expect((await users.find(two.id))?.email).toBe(two.email);
    });

    test('of two accounts that take one new address at once, one gets it', async () => {
      const people = Array.from({ length: 20 }, () => user());
      const { users } = storage.repositories;
      for (const person of people) await users.add(person);
      const email = `wanted-${++counter}@example.org`;
      const results = await Promise.all(people.map(p => users.change(p.id, { set: { email } })));
      expect(results.filter(r => r === true)).toHaveLength(1);
      expect(results.filter(r => r === 'email_taken')).toHaveLength(19);
    });

    test('remember the latest time a token was issued, whatever the order', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      await Promise.all([30, 90, 10, 60].map(ms => users.change(stored.id, { issuedAt: at(ms) })));
      expect((await users.find(stored.id))?.lastIssuedAt).toEqual(at(90));
    });

    test('a cutoff is never before now, nor before a token that was issued by a clock ahead', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      await users.change(stored.id, { cutOffAt: at(100) });
      expect((await users.find(stored.id))?.tokensInvalidatedAfter).toEqual(at(100));
      await users.change(stored.id, { issuedAt: at(5000) });
      await users.change(stored.id, { cutOffAt: at(200) });
      expect((await users.find(stored.id))?.tokensInvalidatedAfter).toEqual(at(5000));
    });

    test('a second cutoff in the same tick is later than the first, so that whoever read in between notices', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      await users.change(stored.id, { cutOffAt: at(100) });
      await users.change(stored.id, { cutOffAt: at(100) });
      expect((await users.find(stored.id))?.tokensInvalidatedAfter).toEqual(at(101));
    });

    test('of 40 changes that expect one cutoff and move it, one happens', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      const won = await winners(40, async () => {
        return (
          (await users.change(stored.id, { cutOffAt: at(1) }, { tokensInvalidatedAfter: null })) === true
        );
      });
      expect(won).toBe(1);
    });

    test('are gone once removed', async () => {
      const stored = user();
      const { users } = storage.repositories;
      await users.add(stored);
      expect(await winners(20, () => users.remove(stored.id))).toBe(1);
      expect(await users.find(stored.id)).toBeNull();
      expect(await users.findSession(stored.id, 'jti')).toBeNull();
    });
  });

  describe('the session check', () => {
    test('sees a token that was logged out, and no other', async () => {
      const stored = user();
      const { users, blacklist } = storage.repositories;
      await users.add(stored);
      await blacklist.add({ jti: 'jti-1', exp: at(1000) });
      await blacklist.add({ jti: 'jti-1', exp: at(1000) });
      expect((await users.findSession(stored.id, 'jti-1'))?.isBlacklisted).toBe(true);
      expect((await users.findSession(stored.id, 'jti-2'))?.isBlacklisted).toBe(false);
      expect(await blacklist.has('jti-1')).toBe(true);
      expect(await blacklist.has('jti-2')).toBe(false);
    });
  });

  describe('pending registrations', () => {
    test('are one per address: a new one replaces the old as a whole, and the old link is dead', async () => {
      const { pending } = storage.repositories;
      const first = pendingRow({ fullName: 'Old', userId: 'u' });
      await pending.replace(first);
      const second = {
        ...first,
        tokenHash: `new-${counter}`,
        fullName: null,
        userId: null,
        expiresAt: at(2000),
      };
      await pending.replace(second);
      expect(await pending.find(first.email)).toEqual(second);
      expect(await pending.findByTokenHash(first.tokenHash)).toBeNull();
      expect(await pending.findByTokenHash(second.tokenHash)).toEqual(second);
    });

    test('40 replacements at once leave one row', async () => {
      const { pending } = storage.repositories;
      const email = `pending-${++counter}@example.org`;
      const rows = Array.from({ length: 40 }, (_, i) =>
        pendingRow({ email, tokenHash: `many-${counter}-${i}` }),
      );
      await Promise.all(rows.map(row => pending.replace(row)));
      const found = await Promise.all(rows.map(row => pending.findByTokenHash(row.tokenHash)));
      expect(found.filter(Boolean)).toHaveLength(1);
    });

    test('are taken once, and not when a new link has replaced the one that was read', async () => {
      const { pending } = storage.repositories;
      const row = pendingRow();
      await pending.replace(row);
      expect(await pending.take({ ...row, tokenHash: 'another' })).toBe(false);
      expect(await winners(40, () => pending.take(row))).toBe(1);
      expect(await pending.find(row.email)).toBeNull();
    });
  });

  describe('failed logins', () => {
    test('are kept per subject until cleared, and an id is taken once', async () => {
      const { attempts } = storage.repositories;
      const email = `locked-${++counter}@example.org`;
      const row = { id: `${email}#0`, email, when: at(10), ip: null, settled: true };
      expect(await winners(40, () => attempts.add(row))).toBe(1);
      await attempts.add({ ...row, id: `${email}#1`, ip: '::1' });
      await attempts.add({ ...row, id: `other#${counter}`, email: 'other@example.org' });
      expect((await attempts.list(email)).map(a => a.ip)).toEqual(expect.arrayContaining([null, '::1']));
      expect(await attempts.clear(email)).toBe(2);
      expect(await attempts.list(email)).toEqual([]);
      expect(await attempts.list('other@example.org')).toHaveLength(1);
    });

    test('are renewed once, as they were read', async () => {
      const { attempts } = storage.repositories;
      const email = `renewed-${++counter}@example.org`;
      const row = { id: `${email}#0`, email, when: at(10), ip: null, settled: true };
      await attempts.add(row);
      expect(await winners(40, () => attempts.renew(row, { when: at(20), ip: '::1', settled: true }))).toBe(
        1,
      );
      expect(await attempts.list(email)).toEqual([{ ...row, when: at(20), ip: '::1' }]);
    });
  });

  describe('codes', () => {
    test('are one per user and kind', async () => {
      const { mfa_codes } = storage.repositories;
      const first = code({ attempts: 3 });
      await mfa_codes.replace(first);
      await mfa_codes.replace({ ...first, kind: 'phone_setup' });
      await mfa_codes.replace({ ...first, codeHash: 'second', attempts: 0 });
      expect(await mfa_codes.find(first.userId, 'login')).toMatchObject({ codeHash: 'second', attempts: 0 });
      expect(await mfa_codes.find(first.userId, 'phone_setup')).toMatchObject({
        codeHash: first.codeHash,
        attempts: 3,
      });
      expect(await mfa_codes.removeAll(first.userId)).toBe(2);
    });

    test('allow 5 guesses, however many come at once, and none once replaced', async () => {
      const { mfa_codes } = storage.repositories;
      const stored = code();
      await mfa_codes.replace(stored);
      const read = (await mfa_codes.find(stored.userId, 'login'))!;
      expect(await winners(60, () => mfa_codes.claimGuess(read, 5))).toBe(5);
      expect((await mfa_codes.find(stored.userId, 'login'))?.attempts).toBe(5);
      await mfa_codes.replace({ ...stored, codeHash: 'fresh' });
      expect(await mfa_codes.claimGuess(read, 5)).toBe(false);
      expect(await mfa_codes.take(read)).toBe(false);
      expect((await mfa_codes.find(stored.userId, 'login'))?.attempts).toBe(0);
    });
  });

  describe('external sign-in', () => {
    test('a state comes back as it was stored and is taken once', async () => {
      const { oauth_states } = storage.repositories;
      const stored = state({ redirectTo: hostile, resultToken: 'x'.repeat(3000) });
      await oauth_states.add(stored);
      expect(await oauth_states.find(stored.id)).toEqual(stored);
      expect(await winners(50, () => oauth_states.take(stored.id))).toBe(1);
      expect(await oauth_states.find(stored.id)).toBeNull();
    });

    test('a subject has one user and a user one subject per provider, also when linked at once', async () => {
      const { oauth_identities } = storage.repositories;
      const first = identity();
      expect(await oauth_identities.add(first)).toBe(true);
      expect(await oauth_identities.add(identity({ subjectId: first.subjectId }))).toBe(false);
      expect(await oauth_identities.add(identity({ userId: first.userId }))).toBe(false);
      const { subjectId } = identity();
      expect(await winners(20, () => oauth_identities.add(identity({ subjectId })))).toBe(1);
      expect(await oauth_identities.findBySubject('google', first.subjectId)).toEqual(first);
      expect(await oauth_identities.touch(first.id, at(77))).toBe(true);
      expect(await oauth_identities.listByUser(first.userId)).toEqual([{ ...first, lastUsedAt: at(77) }]);
      expect(await oauth_identities.remove(first.id)).toBe(true);
      expect(await oauth_identities.remove(first.id)).toBe(false);
    });
  });

  test('purging removes what ended at or before a time, and nothing that ends later', async () => {
    const { pending, blacklist, mfa_codes, oauth_states, attempts } = storage.repositories;
    const old = at(-10_000);
    const row = pendingRow({ expiresAt: old });
    await pending.replace(row);
    await blacklist.add({ jti: 'old', exp: old });
    await mfa_codes.replace(code({ expiresAt: old }));
    await oauth_states.add(state({ expiresAt: old }));
    await attempts.add({ id: 'old', email: row.email, when: old, ip: null, settled: true });
    const live = state();
    await oauth_states.add(live);
    for (const repository of [pending, blacklist, mfa_codes, oauth_states, attempts]) {
      expect(await repository.purge(old)).toBe(1);
      expect(await repository.purge(old)).toBe(0);
    }
    expect(await oauth_states.find(live.id)).toEqual(live);
  });
});
