import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { newAddress, signUpSuperuser, startAdministration, upTo } from '../support/people.ts';

// A locked account looks locked to administration (CONTRACT §2.2).
describeEachDriver('accounts that wrong passwords have locked', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    ({ app, root } = await startAdministration(backend, { loginLockoutThreshold: 2 }));
  });
  afterAll(() => app?.close());

  const get = async (path: string, as = root) =>
    (await app.rest('GET', `/admin/users${path}`, undefined, as)).body;
  const guess = (email: string) => app.rest('POST', '/login', { email, password: 'a wrong password' });
  async function lock({ email }: Pick<Member, 'email'>): Promise<string> {
    for (const _ of upTo(2)) await guess(email);
    return new Date(app.clock.now().getTime() + 900_000).toISOString();
  }
  const emails = async (query: string): Promise<string[]> =>
    (await get(query)).items.map((item: { email: string }) => item.email);

  test('say until when, in the list and by themselves, and are found by it', async () => {
    const [locked, guessed, other] = [await signUp(app), await signUp(app), await signUp(app)];
    await guess(guessed.email);
    expect(await get('?is_locked=true')).toMatchObject({ items: [], total: 0, is_capped: false });
    const until = await lock(locked);
    // An address without an account is locked, too, and is not in the list.
    await lock({ email: newAddress() });
    const page = await get('?is_locked=true');
    expect(page).toMatchObject({ total: 1, is_capped: false, has_more: false });
    expect(page.items).toEqual([await get(`/${locked.id}`)]);
    expect(page.items).toMatchObject([{ id: locked.id, locked_until: until, reported_at: null }]);
    const others = await get('?is_locked=false');
    expect(others).not.toHaveProperty('is_capped');
    expect(others.items.map((item: { id: string }) => item.id)).toEqual([other.id, guessed.id, root.id]);
    expect(others.total).toBe(3);
    expect(await get(`/${guessed.id}`)).toMatchObject({ locked_until: null });
    expect(await emails(`?is_locked=true&search=${locked.email.slice(0, 12)}`)).toEqual([locked.email]);
    expect(await emails(`?is_locked=true&search=${other.email.slice(0, 12)}`)).toEqual([]);

    const { body } = await app.graphql(
      '{ users(isLocked: true) { nodes { id lockedUntil } totalCount isCapped } }',
      {},
      root,
    );
    expect(body.data.users).toEqual({
      ...{ nodes: [{ id: locked.id, lockedUntil: until }], totalCount: 1, isCapped: false },
    });
  });

  test('are not told to their owners, nor in what a change answers, nor to a program of the host', async () => {
    const member = await signUp(app);
    await lock(member);
    expect((await app.rest('GET', '/me', undefined, member)).body).not.toHaveProperty('locked_until');
    const changed = await app.rest('PATCH', `/admin/users/${member.id}`, { full_name: 'Ada' }, root);
    expect(changed.body).not.toHaveProperty('locked_until');
    expect(await app.gatehouse.users.find(member.id)).not.toHaveProperty('locked_until');
  });

  test('are so no longer once unlocked, or once the window has passed', async () => {
    const [first, second] = [await signUp(app), await signUp(app)];
    await lock(first);
    await lock(second);
    expect(await emails('?is_locked=true')).toEqual(expect.arrayContaining([first.email, second.email]));
    await app.rest('POST', `/admin/users/${first.id}/unlock`, undefined, root);
    expect(await get(`/${first.id}`)).toMatchObject({ locked_until: null });
    expect(await emails('?is_locked=true')).not.toContain(first.email);
    app.clock.advance(900_000);
    expect(await get(`/${second.id}`)).toMatchObject({ locked_until: null });
    expect(await emails('?is_locked=true')).toEqual([]);
  });

  test('are found by one read, behind addresses that are not locked and counts of other things', async () => {
    const { attempts } = app.gatehouse.repositories;
    const locked = await signUp(app);
    await lock(locked);
    app.clock.advance(1000);
    const when = app.clock.now();
    const add = (subject: string, slot: number) =>
      attempts.add({ id: `${subject}#${slot}`, subject, when, ip: null, settled: true });
    for (const number of upTo(20)) await add(`guessed-once-${number}@example.org`, 0);
    for (const slot of [0, 1]) await add('sms:+15550100', slot);
    for (const slot of [0, 1]) await add(`known:known-${locked.email}`, slot);
    const bound = { least: 2, prefix: 'known:', limit: 3 };
    const full = await attempts.listFull(new Date(when.getTime() - 60_000), bound);
    expect(full.slice(0, 2)).toEqual([`known:known-${locked.email}`, locked.email]);
    expect(await attempts.listFull(when, bound)).toEqual([]);
    expect(await emails('?is_locked=true')).toContain(locked.email);
    app.clock.advance(900_000);
  });

  test('are the thousand newest, and it is said when there are more', async () => {
    const { attempts } = app.gatehouse.repositories;
    const lockMany = async (count: number, name: string) => {
      for (const number of upTo(count))
        for (const slot of [0, 1]) {
          const subject = `${name}-${number}@example.org`;
          const when = app.clock.now();
          await attempts.add({ id: `${subject}#${slot}`, subject, when, ip: null, settled: true });
        }
    };
    const [old, fresh] = [await signUp(app), await signUp(app)];
    await lock(old);
    app.clock.advance(1000);
    await lockMany(999, 'stranger');
    expect(await emails('?is_locked=true')).toEqual([old.email]);
    expect(await get('?is_locked=true')).toMatchObject({ is_capped: false });
    app.clock.advance(1000);
    await lock(fresh);
    expect(await emails('?is_locked=true')).toEqual([fresh.email]);
    expect(await get('?is_locked=true')).toMatchObject({ is_capped: true, total: 1 });
  });
});

describe('without a lockout', () => {
  test('no account is locked', async () => {
    const app = await startApp({ settings: { enableAdminRouter: true, rateLimitDisabled: true } });
    const root = await signUpSuperuser(app);
    const { body } = await app.rest('GET', '/admin/users?is_locked=true', undefined, root);
    expect(body).toMatchObject({ items: [], total: 0, is_capped: false });
    await app.close();
  });
});
