import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type App, type Member, signUp, startApp } from '../../support/app.ts';
import { describeEachDriver } from '../../support/backends.ts';
import { disowning, firefox, safari } from '../../support/not-me.ts';
import { newAddress, signUpSuperuser } from '../../support/people.ts';

// A stranger locks an account by guessing at its password. The owner, who signs in from a known place, must not notice.

const dayMs = 86_400_000;
const threshold = 5;
const home = { 'user-agent': firefox, 'x-forwarded-for': '192.0.2.1' };
const elsewhere = { 'user-agent': safari, 'x-forwarded-for': '198.51.100.1' };

const settings = {
  ...disowning,
  enableAdminRouter: true,
  lockoutSparesKnownPlaces: true,
  trustedProxies: ['127.0.0.1'],
};

describeEachDriver('lockout_spares_known_places', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
  });
  afterAll(() => app?.close());

  const byRest = async (email: string, password: string, headers: Record<string, string>) =>
    (await app.rest('POST', '/login', { email, password }, { headers })).body.code ?? 'ok';
  const byGraphQL = async (email: string, password: string, headers: Record<string, string>) => {
    const document = 'mutation ($input: LoginInput!) { login(input: $input) { __typename } }';
    const { body } = await app.graphql(document, { input: { email, password } }, { headers });
    return body.errors?.[0].extensions.code ?? 'ok';
  };
  const doors = [
    { name: 'REST', from: byRest },
    { name: 'GraphQL', from: byGraphQL },
  ];

  describe.each(backend.name === 'sqlite' ? doors : doors.slice(0, 1))('through $name', ({ from }) => {
    const signIn = ({ email, password }: Member, headers = home) => from(email, password, headers);
    async function guess(email: string, headers: Record<string, string>, times = threshold) {
      for (let i = 0; i < times; i++)
        expect(await from(email, 'a wrong password', headers)).toBe('invalid_credentials');
    }
    /** An account that has signed in at home. */
    async function settled(): Promise<Member> {
      const member = await signUp(app);
      expect(await signIn(member)).toBe('ok');
      return member;
    }

    test('a stranger’s guesses lock strangers out, and not who signs in from a known place', async () => {
      const member = await settled();
      await guess(member.email, elsewhere);
      expect(await signIn(member, elsewhere)).toBe('account_locked');
      expect(await signIn(member)).toBe('ok');
    });

    test('a sign-in from a known place gives a stranger no further guesses; one from elsewhere clears all', async () => {
      const member = await settled();
      await guess(member.email, elsewhere);
      expect(await signIn(member)).toBe('ok');
      expect(await from(member.email, 'a wrong password', elsewhere)).toBe('account_locked');
      app.clock.advance(app.gatehouse.config.loginLockoutWindowSeconds * 1000);
      await guess(member.email, elsewhere, threshold - 1);
      await guess(member.email, home, threshold - 1);
      expect(await signIn(member, elsewhere)).toBe('ok');
      await guess(member.email, home);
    });

    test('guesses from a known place are locked out as well, and lock no stranger’s slots', async () => {
      const member = await settled();
      await guess(member.email, home);
      expect(await signIn(member)).toBe('account_locked');
      expect(await signIn(member, elsewhere)).toBe('ok');
    });

    test('a place is known by browser and network together, for thirty days', async () => {
      const member = await settled();
      await guess(member.email, elsewhere);
      const halves = [
        { ...home, 'user-agent': safari },
        { ...home, 'x-forwarded-for': '198.51.100.1' },
      ];
      for (const half of halves) expect(await signIn(member, half)).toBe('account_locked');
      expect(await signIn(member)).toBe('ok');
      app.clock.advance(30 * dayMs);
      await guess(member.email, elsewhere);
      expect(await signIn(member)).toBe('account_locked');
    });

    test('a place of one account is unknown to another', async () => {
      await settled();
      const other = await signUp(app);
      await guess(other.email, elsewhere);
      expect(await signIn(other)).toBe('account_locked');
    });

    test('administration sees that a count is full, and unlocking clears both', async () => {
      const member = await settled();
      const admin = await signUpSuperuser(app);
      await guess(member.email, elsewhere);
      await guess(member.email, home);
      const path = `/admin/users/${member.id}`;
      const { body } = await app.rest('GET', path, undefined, admin);
      expect(body.locked_until).not.toBeNull();
      await app.rest('POST', `${path}/unlock`, {}, admin);
      expect((await app.rest('GET', path, undefined, admin)).body.locked_until).toBeNull();
      expect(await signIn(member)).toBe('ok');
    });
  });

  test('an account that is locked only from its known places is among the locked ones', async () => {
    const [member, admin] = [await signUp(app), await signUpSuperuser(app)];
    await byRest(member.email, member.password, home);
    for (let i = 0; i < threshold; i++) await byRest(member.email, 'a wrong password', home);
    const { body } = await app.rest('GET', '/admin/users?is_locked=true&limit=200', undefined, admin);
    expect(body.items.map(({ id }: { id: string }) => id)).toContain(member.id);
  });

  test('in parallel no place gets more guesses than its limit', async () => {
    const member = await signUp(app);
    await byRest(member.email, member.password, home);
    for (const headers of [home, elsewhere]) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => byRest(member.email, 'a wrong password', headers)),
      );
      expect(answers.filter(code => code === 'invalid_credentials')).toHaveLength(threshold);
    }
  });

  test('an address without account, without places and with places costs the same reads', async () => {
    const [known, placeless] = [await signUp(app), await signUp(app)];
    await byRest(known.email, known.password, home);
    const counts = [];
    for (const email of [known.email, placeless.email, newAddress()]) {
      const calls: string[] = [];
      const { attempts, sign_in_places, users } = app.gatehouse.repositories;
      const spies = [
        ...(['list', 'add', 'renew', 'clear'] as const).map(name => vi.spyOn(attempts, name)),
        ...(['find', 'add', 'change', 'touch'] as const).map(name => vi.spyOn(sign_in_places, name)),
        vi.spyOn(users, 'findForSignIn'),
      ];
      expect(await byRest(email, 'a wrong password', home)).toBe('invalid_credentials');
      for (const spy of spies) {
        calls.push(`${spy.getMockName()} ${spy.mock.calls.length}`);
        spy.mockRestore();
      }
      counts.push(calls);
    }
    expect(counts[1]).toEqual(counts[0]);
    expect(counts[2]).toEqual(counts[0]);
  });
});

test('without lockout_spares_known_places a known place is locked out, and no place is looked up', async () => {
  const app = await startApp({ settings: { ...settings, lockoutSparesKnownPlaces: false } });
  const { email, password } = await signUp(app);
  const login = async (given: string, headers: Record<string, string>) =>
    (await app.rest('POST', '/login', { email, password: given }, { headers })).status;
  expect(await login(password, home)).toBe(200);
  const look = vi.spyOn(app.gatehouse.repositories.sign_in_places, 'find');
  for (let i = 0; i < threshold; i++) expect(await login('a wrong password', elsewhere)).toBe(401);
  expect(await login(password, home)).toBe(429);
  expect(look).not.toHaveBeenCalled();
  await app.close();
});
