import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { createSuperusers } from '../../src/domain/superusers.ts';
import { GatehouseError } from '../../src/errors.ts';
import { LateAnswer } from '../../src/storage/errors.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import type { User } from '../../src/tables/user.ts';
import { storageOptions } from '../support/storage.ts';
import { onceNoted } from '../support/superusers.ts';

const now = new Date('2040-01-02T03:04:05.678Z');
const disabled = { set: { isActive: false, fullName: 'Gone' }, cutOffAt: now };

let storage: Storage;
beforeEach(async () => {
  storage = await openStorage(parseDatabaseUrl('sqlite+aiosqlite:///:memory:', 'svc'), storageOptions());
  await storage.install();
});
afterEach(() => storage.close());

const superusers = () => createSuperusers(storage.repositories);

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

test('of two that remove each other at once, the last to be noted finds no other, and stays', async () => {
  const { users } = storage.repositories;
  const [one, two] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const refusals = onceNoted(storage.repositories, () => superusers().changeKeepingOne(two, disabled));
  expect(await superusers().changeKeepingOne(one, disabled)).toMatchObject({ isActive: false });
  expect(refusals).toMatchObject([{ code: 'last_superuser' }]);
  expect(await users.find(two.id)).toEqual(two);
});

test('one that was removed, with its note, after the others were read does not count as left', async () => {
  const { challenges, users } = storage.repositories;
  const [one, two] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const { listRemovals } = challenges;
  vi.spyOn(challenges, 'listRemovals').mockImplementationOnce(async ids => {
    await users.change(two.id, { set: { isSuperuser: false } });
    return listRemovals(ids);
  });
  await expect(superusers().changeKeepingOne(one, disabled)).rejects.toMatchObject({
    code: 'last_superuser',
  });
  expect(await users.find(one.id)).toEqual(one);
});

test('of two removals of one superuser, one is refused, and may be tried again', async () => {
  const [one] = [await superuser('one@example.org'), await superuser('two@example.org')];
  const acts = await Promise.allSettled([1, 2].map(() => superusers().changeKeepingOne(one, disabled)));
  expect(acts).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'unavailable' } }]);
  expect(await superusers().changeKeepingOne(one, disabled)).toBeNull();
});

test('a removal whose database is away does not wait for it a second time', async () => {
  const { challenges, users } = storage.repositories;
  const [one] = [await superuser('one@example.org'), await superuser('two@example.org')];
  vi.spyOn(users, 'list').mockRejectedValueOnce(
    new GatehouseError('unavailable', { cause: new LateAnswer() }),
  );
  vi.spyOn(challenges, 'endRemoval').mockReturnValueOnce(new Promise(() => {}));
  await expect(superusers().changeKeepingOne(one, disabled)).rejects.toMatchObject({ code: 'unavailable' });
});

test('one whose removal failed does not count as left until its note has ended', async () => {
  // The database may carry it out late. A stop leaves a note, too.
  const { challenges, users } = storage.repositories;
  const [one, two] = [await superuser('one@example.org'), await superuser('two@example.org')];
  vi.spyOn(users, 'change').mockRejectedValueOnce(new GatehouseError('unavailable'));
  await expect(superusers().changeKeepingOne(one, disabled)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(superusers().changeKeepingOne(two, disabled)).rejects.toMatchObject({
    code: 'last_superuser',
  });
  // A take-over of the account does not end it.
  await storage.repositories.rows.removeOwned(one.id, { isTakeOver: true });
  await expect(superusers().changeKeepingOne(one, disabled)).rejects.toMatchObject({ code: 'unavailable' });
  const note = (await challenges.find(`removal-${one.id}`, 'superuser_removal'))!;
  expect(note.expiresAt.getTime() - note.createdAt.getTime()).toBe(60_000);
  await challenges.take(note.id);
  await challenges.add({ ...note, createdAt: new Date(0), expiresAt: new Date(Date.now() - 1) });
  expect(await superusers().changeKeepingOne(two, disabled)).toMatchObject({ isActive: false });
  // Nor does one process end the note of another.
  expect(await challenges.endRemoval({ ...note, value: 'of another' })).toBe(0);
});
