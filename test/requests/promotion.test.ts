import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, type Member, signUp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { newAddress, signUpSuperuser, startAdministration } from '../support/people.ts';

describeEachDriver('an account that another request changes meanwhile', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    ({ app, root } = await startAdministration(backend));
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app?.close());

  const patch = async (id: string, body: object) => {
    const reply = await app.rest('PATCH', `/admin/users/${id}`, body, { token: root.token });
    return reply.body.code as string | undefined;
  };

  /** Does something right before the next change of a user is written, as if it came from another request. */
  function beforeNextChange(meanwhile: () => Promise<unknown>): void {
    const { users } = app.gatehouse.repositories;
    const { change } = users;
    vi.spyOn(users, 'change').mockImplementationOnce(async (...args) => {
      vi.restoreAllMocks();
      await meanwhile();
      return change(...args);
    });
  }

  const acts: Record<string, (member: Member) => Promise<string | undefined>> = {
    'promoted by an administrator': ({ id }) => patch(id, { is_superuser: true }),
    'promoted by an operator': ({ email }) =>
      (app.gatehouse as Assembled).operator.createAdmin({ email }).catch(({ code }) => code),
  };
  const changes: Record<string, (id: string) => Promise<unknown>> = {
    'gets another address': id => app.gatehouse.users.changeEmail(id, { email: newAddress() }),
    'is no longer verified': id =>
      app.gatehouse.repositories.users.change(id, { set: { isVerified: false } }),
    'is disabled': id => app.gatehouse.users.disable(id),
  };
  const pairs = Object.keys(acts).flatMap(act => Object.keys(changes).map(change => [act, change] as const));

  test.each(pairs)('is not %s when it %s', async (act, change) => {
    const member = await signUp(app);
    let changed: unknown;
    beforeNextChange(async () => {
      await changes[change]!(member.id);
      changed = await app.gatehouse.repositories.users.find(member.id);
    });
    expect(await acts[act]!(member)).toBe('unavailable');
    expect(changed).toMatchObject({ isSuperuser: false });
    expect(await app.gatehouse.repositories.users.find(member.id)).toEqual(changed);
  });

  test('is not enabled when it is disabled, nor promoted when it is demoted', async () => {
    const { users } = app.gatehouse.repositories;
    const other = await signUpSuperuser(app);
    beforeNextChange(() => app.gatehouse.users.disable(other.id));
    expect(await patch(other.id, { is_active: true })).toBe('unavailable');
    expect(await users.find(other.id)).toMatchObject({ isActive: false });

    const third = await signUpSuperuser(app);
    beforeNextChange(() => users.change(third.id, { set: { isSuperuser: false } }));
    expect(await patch(third.id, { is_superuser: true })).toBe('unavailable');
    expect(await users.find(third.id)).toMatchObject({ isSuperuser: false });
  });
});
