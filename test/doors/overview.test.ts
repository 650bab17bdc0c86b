import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { signUpSuperuser } from '../support/people.ts';

const hourMs = 3_600_000;
const settings = { enableAdminRouter: true, loginLockoutThreshold: 3 };

describeEachDriver('the overview of administrators', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
    root = await signUpSuperuser(app);
  });
  afterAll(() => app?.close());

  const overviewAt = (door: ReturnType<typeof doorsOn>[number]) =>
    resultOf(door.at(app)('adminOverview', undefined, { token: root.token }));

  describe.each(doorsOn(backend))('through $name', door => {
    test('counts sign-ins, refused acts and those that a lockout refused, by the hour, for a day', async () => {
      app.clock.advance(48 * hourMs);
      const superuser = await signUpSuperuser(app);
      root = superuser;
      const before = await overviewAt(door);
      const member = await signUp(app);
      await logIn(app, member);
      const guess = () => app.rest('POST', '/login', { email: member.email, password: 'not this one' });
      for (const _ of Array(4)) await guess();

      const after = await overviewAt(door);
      const since = Math.floor(app.clock.now().getTime() / hourMs) * hourMs - 23 * hourMs;
      expect(new Date(String(after.since)).getTime()).toBe(since);
      expect(Number(after.sign_ins) - Number(before.sign_ins)).toBeGreaterThanOrEqual(1);
      expect(Number(after.refusals) - Number(before.refusals)).toBe(4);
      expect(Number(after.lockouts) - Number(before.lockouts)).toBe(1);
      expect(after).toMatchObject({ dead_deliveries: 0, webhooks_off: 0 });
    });
  });

  test('adds up the counts of concurrent processes, and keeps them for two days', async () => {
    const { hour_counts } = app.gatehouse.repositories;
    const hour = new Date('2050-01-01T10:00:00.000Z');
    const row = { id: `${hour.toISOString()}/refusals`, hour, kind: 'refusals', count: 3 } as const;
    await Promise.all(Array.from({ length: 20 }, () => hour_counts.add(row)));
    expect(await hour_counts.listSince(hour)).toEqual([{ ...row, count: 60 }]);
  });
});
