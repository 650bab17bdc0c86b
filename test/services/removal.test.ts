import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { createUserViews } from '../../src/contract/views/account.ts';
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
import { storageOptions } from '../support/storage.ts';
import { onceNoted } from '../support/superusers.ts';

const now = new Date('2040-01-02T03:04:05.678Z');
const self = { by: 'self', ip: null } as const;
const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };

let storage: Storage;
let events: EventHub;
let removal: Removal;
beforeEach(async () => {
  storage = await openStorage(parseDatabaseUrl('sqlite+aiosqlite:///:memory:', 'svc'), storageOptions());
  await storage.install();
  const { repositories } = storage;
  events = new EventHub(logger);
  const superusers = createSuperusers(repositories);
  const lockout = { clearUser: async () => {} } as unknown as Lockout;
  const smsCap = { clearSetups: async () => 0 } as unknown as SmsCap;
  const views = createUserViews({ userFields: {}, roles: [] });
  const hooks = createHooks({ logger, views });
  const consecutiveFailures = { clear: async () => {} } as unknown as ConsecutiveFailures;
  const stepFailures = { clear: async () => {} } as unknown as StepFailures;
  const notices = { notify: async () => {} } as unknown as Notices;
  removal = createRemoval({
    ...{ repositories, superusers, lockout, consecutiveFailures, stepFailures },
    ...{ smsCap, notices, events, hooks, views },
  });
});
afterEach(() => storage.close());

async function addUser(email: string, fields: Partial<User> = {}): Promise<User> {
  const user = newUser(now, { email, fullName: null, hashedPassword: null, isVerified: true, ...fields });
  await storage.repositories.users.add(user);
  return user;
}
const superuser = (email: string) => addUser(email, { isSuperuser: true });

test('a superuser whose deletion fails, or is refused by the host, is as before', async () => {
  const { users } = storage.repositories;
  const [one] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const lost = new GatehouseError('unavailable');
  vi.spyOn(users, 'remove').mockResolvedValueOnce('in_use').mockRejectedValueOnce(lost);
  await expect(removal.remove(one, self)).rejects.toMatchObject({ code: 'user_in_use' });
  await expect(removal.remove(one, self)).rejects.toBe(lost);
  expect(await users.find(one.id)).toEqual(one);
});

test('of two superusers who delete each other at once, neither row is deleted', async () => {
  const { users } = storage.repositories;
  const [one, two] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const refusals = onceNoted(storage.repositories, () => removal.remove(two, self));
  await expect(removal.remove(one, { ...self, by: 'admin' })).resolves.toBe(true);
  expect(refusals).toMatchObject([{ code: 'last_superuser' }]);
  expect(await users.find(two.id)).toEqual(two);
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
