import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { createSuperusers } from '../../src/domain/superusers.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import type { User } from '../../src/tables/user.ts';
import { TestClock } from '../support/app.ts';
import { storageOptions } from '../support/storage.ts';

const now = new Date('2040-01-02T03:04:05.678Z');
const disabled = { set: { isActive: false, fullName: 'Gone' }, cutOffAt: now };

let storage: Storage;
let clock: TestClock;
beforeEach(async () => {
  storage = await openStorage(parseDatabaseUrl('sqlite+aiosqlite:///:memory:', 'svc'), storageOptions());
  await storage.install();
  clock = new TestClock(now.toISOString());
});
afterEach(() => storage.close());

const superusers = () => createSuperusers({ clock: clock, repositories: storage.repositories });

async function superuser(email: string): Promise<User> {
  const fields = { email, fullName: 'Root', hashedPassword: null, isVerified: true, isSuperuser: true };
  const user = newUser(now, fields);
  await storage.repositories.users.add(user);
  return user;
}

test('a superuser is disabled and cut off in one write, so that a stop after it leaves no session', async () => {
  // The process is killed right after the account was switched off; enabling it again revives nothing.
  const { users } = storage.repositories;
  const [one] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const change = vi.spyOn(users, 'change');
  expect(await superusers().changeKeepingOne(one, disabled)).toMatchObject({
    isActive: false,
  });
  expect(change).toHaveBeenCalledTimes(1);
  expect(await users.find(one.id)).toMatchObject({ isActive: false, tokensInvalidatedAfter: now });
});

test('the last one is refused without a write', async () => {
  const { users } = storage.repositories;
  const last = await superuser('last@example.org');
  await expect(superusers().changeKeepingOne(last, disabled)).rejects.toMatchObject({
    code: 'last_superuser',
  });
  expect(await users.find(last.id)).toEqual(last);
});

test('one that turns out to be the last after the write gets back everything that the change took', async () => {
  // Two superusers disable each other at once: each is asked about while the other is still there.
  const { users } = storage.repositories;
  const [one, two] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const count = users.countActiveSuperusers;
  vi.spyOn(users, 'countActiveSuperusers').mockImplementationOnce(async () => {
    const before = await count();
    await users.change(two.id, { set: { isActive: false } });
    return before;
  });
  await expect(superusers().changeKeepingOne(one, disabled)).rejects.toMatchObject({
    code: 'last_superuser',
  });
  expect(await users.find(one.id)).toMatchObject({ isActive: true, isSuperuser: true, fullName: 'Root' });
  expect(await users.countActiveSuperusers()).toBe(1);
});

test('of a change that is undone, only what it had set goes back', async () => {
  const { users } = storage.repositories;
  const [one, two] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const known = ['editor', 'billing'];
  await users.change(one.id, { fields: { company: 'Acme' }, roles: { known, given: ['editor'] } });
  const read = (await users.find(one.id))!;
  // Others demote the other one, and set another field of this one, between the two counts.
  vi.spyOn(users, 'countActiveSuperusers')
    .mockImplementationOnce(async () => {
      await users.change(two.id, { set: { isSuperuser: false } });
      return 2;
    })
    .mockImplementationOnce(async () => {
      await users.change(one.id, { fields: { team: 'Blue' } });
      return 0;
    });
  const refused = superusers().changeKeepingOne(read, {
    set: { isSuperuser: false },
    fields: { company: 'Other', remark: 'new' },
    roles: { known, given: ['billing'] },
  });
  await expect(refused).rejects.toMatchObject({ code: 'last_superuser' });
  expect(await users.find(one.id)).toMatchObject({
    isSuperuser: true,
    fields: { company: 'Acme', team: 'Blue' },
    roles: ['editor'],
  });
});
