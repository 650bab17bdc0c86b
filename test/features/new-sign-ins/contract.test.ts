import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../../src/config/database-url.ts';
import { openStorage, type Storage } from '../../../src/storage/open.ts';
import { at, counter, purgeEndedAt, winners } from '../../storage/records.ts';
import { describeEachBackend, type TestDatabase } from '../../support/backends.ts';
import { storageOptions } from '../../support/storage.ts';

describeEachBackend('storage of places and links', backend => {
  let database: TestDatabase;
  let storage: Storage;
  beforeAll(async () => {
    database = await backend.lendDatabase();
    storage = await openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
    await storage.install();
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });

  const link = (userId: string) => ({
    id: `link-${++counter.value}`,
    userId,
    snapshot: 's',
    expiresAt: at(10),
  });

  test('a link is used once, and is listed with those of its account', async () => {
    const { not_me_links: links } = storage.repositories;
    const userId = `user-${++counter.value}`;
    const one = link(userId);
    await links.add(one);
    const stored = (await links.find(one.id))!;
    expect(stored).toMatchObject({ ...one, state: 'open', failures: 0, createdAt: expect.any(Date) });
    expect(await winners(20, () => links.finish(stored))).toBe(1);
    expect(await links.find(one.id)).toMatchObject({ state: 'done' });
    expect((await links.listByUser(userId)).map(({ id }) => id)).toEqual([one.id]);
    await storage.repositories.rows.removeOwned(userId, { isTakeOver: true });
    expect(await links.find(one.id)).toBeNull();
  });

  test('a place is stored once, claimed once, and used later only', async () => {
    const { sign_in_places: places } = storage.repositories;
    const place = {
      ...{ id: `place-${++counter.value}`, userId: 'user' },
      ...{ lastUsedAt: at(100), announcedAt: null },
    };
    expect(await winners(20, () => places.add(place))).toBe(1);
    const later = { lastUsedAt: at(200), announcedAt: null };
    expect(await winners(20, () => places.change(place, later))).toBe(1);
    await places.announce(place.id, at(201));
    expect(await places.touch(place.id, at(150))).toBe(false);
    expect(await places.touch(place.id, at(300))).toBe(true);
    expect(await places.find(place.id)).toEqual({ ...place, lastUsedAt: at(300), announcedAt: at(201) });
  });

  test('purging removes what ended at or before a time, and nothing that ends later', async () => {
    const { not_me_links: links, sign_in_places: places } = storage.repositories;
    const [old, live] = [at(-20_000), at(20_000)];
    const [ended, good] = [
      { ...link('someone'), expiresAt: old },
      { ...link('someone'), expiresAt: live },
    ];
    await links.add(ended);
    await links.add(good);
    const almostADayLater = new Date(old.getTime() + 86_400_000 - 1);
    expect(await storage.repositories.rows.purgeEnded('not_me_links', almostADayLater, 0)).toBe(0);
    expect(await purgeEndedAt(storage.repositories, 'not_me_links', old)).toBe(1);
    expect((await links.listByUser('someone')).map(({ id }) => id)).toEqual([good.id]);
    const place = { id: `place-${++counter.value}`, userId: 'user', announcedAt: null };
    await places.add({ ...place, lastUsedAt: old });
    expect(await purgeEndedAt(storage.repositories, 'sign_in_places', old)).toBe(1);
    expect(await places.find(place.id)).toBeNull();
  });
});
