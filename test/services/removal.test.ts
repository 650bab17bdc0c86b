import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { createUserViews } from '../../src/contract/views/account.ts';
import { Background } from '../../src/domain/background.ts';
import type { ConsecutiveFailures } from '../../src/domain/consecutive-failures.ts';
import { createHooks } from '../../src/domain/hooks.ts';
import { newUser } from '../../src/domain/new-user.ts';
import type { Notices } from '../../src/domain/notices.ts';
import { createRemoval, type Removal } from '../../src/domain/removal.ts';
import type { StepFailures } from '../../src/domain/step-failures.ts';
import { createSuperusers } from '../../src/domain/superusers.ts';
import { GatehouseError } from '../../src/errors.ts';
import { EventHub } from '../../src/events.ts';
import type { Lockout } from '../../src/limits/lockout.ts';
import type { SmsCap } from '../../src/limits/sms-cap.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import type { User } from '../../src/tables/user.ts';
import { TestClock } from '../support/app.ts';
import { storageOptions } from '../support/storage.ts';

const now = new Date('2040-01-02T03:04:05.678Z');
const self = { by: 'self', ip: null } as const;
const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };

let storage: Storage;
let clock: TestClock;
let background: Background;
let events: EventHub;
let removal: Removal;
beforeEach(async () => {
  storage = await openStorage(parseDatabaseUrl('sqlite+aiosqlite:///:memory:', 'svc'), storageOptions());
  await storage.install();
  clock = new TestClock(now.toISOString());
  const { repositories } = storage;
  background = new Background(logger);
  events = new EventHub(logger);
  const superusers = createSuperusers({ clock: clock, repositories });
  const lockout = { clearUser: async () => {} } as unknown as Lockout;
  const smsCap = { clearSetups: async () => 0 } as unknown as SmsCap;
  const views = createUserViews({ userFields: {}, roles: [] });
  const hooks = createHooks({ logger, views });
  const consecutiveFailures = { clear: async () => {} } as unknown as ConsecutiveFailures;
  const stepFailures = { clear: async () => {} } as unknown as StepFailures;
  const notices = { notify: async () => {} } as unknown as Notices;
  removal = createRemoval({
    ...{ repositories, superusers, lockout, consecutiveFailures, stepFailures },
    ...{ smsCap, background, notices, events, hooks, views },
  });
});
afterEach(() => storage.close());

async function addUser(email: string, fields: Partial<User> = {}): Promise<User> {
  const user = newUser(now, { email, fullName: null, hashedPassword: null, isVerified: true, ...fields });
  await storage.repositories.users.add(user);
  return user;
}
const superuser = (email: string) => addUser(email, { isSuperuser: true });

test('a superuser whose deletion fails is one again, without the answer waiting for it', async () => {
  const { users } = storage.repositories;
  const [one] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const lost = new GatehouseError('unavailable');
  vi.spyOn(users, 'remove').mockRejectedValueOnce(lost);
  await expect(removal.remove(one, self)).rejects.toBe(lost);
  await background.drain();
  expect(await users.find(one.id)).toEqual(one);
});

test('a superuser who was demoted while the deletion failed does not get the rights back', async () => {
  // Another superuser takes the rights away at the moment at which the account is being deleted.
  const { users } = storage.repositories;
  const [one] = [await superuser('one@example.org'), await superuser('two@example.org')];
  vi.spyOn(users, 'remove').mockImplementationOnce(async id => {
    await users.change(id, { set: { isSuperuser: false, updatedAt: new Date(now.getTime() + 1) } });
    return 'in_use';
  });
  await expect(removal.remove(one, self)).rejects.toMatchObject({ code: 'user_in_use' });
  expect(await users.find(one.id)).toMatchObject({ isSuperuser: false });
});

test('of two superusers who delete each other at once, neither row is deleted', async () => {
  // Both are asked about while the other is still there; a row that is deleted could not be brought back.
  const { users } = storage.repositories;
  const [one, two] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const { countActiveSuperusers } = users;
  vi.spyOn(users, 'countActiveSuperusers').mockImplementationOnce(async () => {
    const before = await countActiveSuperusers();
    await users.change(two.id, { set: { isSuperuser: false } });
    return before;
  });
  const removed = vi.spyOn(users, 'remove');
  await expect(removal.remove(one, { ...self, by: 'admin' })).rejects.toMatchObject({
    code: 'last_superuser',
  });
  expect(removed).not.toHaveBeenCalled();
  expect(await users.find(one.id)).toEqual(one);
});

test('of two superusers who are demoted at once, none is deleted as a plain user before that is decided', async () => {
  // Each counts none, and gives the rights back; to a row that somebody has deleted meanwhile, it could not.
  const { repositories } = storage;
  const { users } = repositories;
  const [one, two] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const { countActiveSuperusers } = users;
  const remove = async (user: User) => removal.remove((await users.find(user.id))!, self);
  const refusals: unknown[] = [];
  vi.spyOn(users, 'countActiveSuperusers')
    .mockImplementationOnce(async () => {
      const before = await countActiveSuperusers();
      await users.change(two.id, { set: { isSuperuser: false } });
      return before;
    })
    .mockImplementationOnce(async () => {
      refusals.push(await remove(one).catch(error => error));
      return countActiveSuperusers();
    });
  const demotion = createSuperusers({ clock, repositories }).changeKeepingOne(one, {
    set: { isSuperuser: false },
  });
  await expect(demotion).rejects.toMatchObject({ code: 'last_superuser' });
  expect(refusals).toMatchObject([{ code: 'unavailable' }]);
  expect(await users.find(one.id)).toEqual(one);
  // Once it is decided, who is no superuser is deleted.
  expect(await remove(two)).toBe(true);
});

test('a process that dies while it demotes somebody keeps the account from being deleted for a minute', async () => {
  const { challenges, users } = storage.repositories;
  const user = await addUser('ada@example.org');
  await challenges.noteDemotion(user.id, clock.now());
  await expect(removal.remove(user, self)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await users.find(user.id)).toEqual(user);
  clock.advance(60_000);
  expect(await removal.remove(user, self)).toBe(true);
});

test('a user who was promoted since being read is not deleted as a plain one', async () => {
  const { users } = storage.repositories;
  const user = await addUser('ada@example.org');
  await users.change(user.id, { set: { isSuperuser: true } });
  expect(await removal.remove(user, self)).toBe(false);
  expect(await users.find(user.id)).toMatchObject({ isSuperuser: true, isActive: true });
});

test('the deletion is announced although what belongs to the user could not be removed', async () => {
  const { rows, users } = storage.repositories;
  const user = await addUser('ada@example.org');
  const deleted: string[] = [];
  events.on('user_deleted', event => void deleted.push(event.user.id));
  vi.spyOn(rows, 'removeOwned').mockRejectedValueOnce(new GatehouseError('unavailable'));
  await expect(removal.remove(user, self)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await users.find(user.id)).toBeNull();
  expect(deleted).toEqual([user.id]);
});

test('an event that cannot be stored leaves nothing of a deleted account', async () => {
  const { users, rows } = storage.repositories;
  const user = await addUser('gone@example.org');
  const removed = vi.spyOn(rows, 'removeOwned');
  const lost = new GatehouseError('unavailable');
  events.recordWith(() => Promise.reject(lost));
  await expect(removal.remove(user, self)).rejects.toBe(lost);
  expect(await users.find(user.id)).toBeNull();
  expect(removed).toHaveBeenCalledWith(user.id, { isTakeOver: false });
});
