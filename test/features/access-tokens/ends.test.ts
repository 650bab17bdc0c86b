import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Assembled } from '../../../src/gatehouse.ts';
import { type App, logIn, type Member, newPassword, password, signUp, startApp } from '../../support/app.ts';
import { describeEachDriver } from '../../support/backends.ts';
import { disowning, nextNotMe } from '../../support/not-me.ts';
import { api } from './api.ts';

// The rows of CONTRACT §16.8, for each kind of token and for API keys, as introspection and `gatehouse.resource()` answer.

const secret = 'o'.repeat(32);

/** Whether each counts after an event: a token of the session, one of the host, an API key, and a token of the key. */
type Row = [ofSession: boolean, ofHost: boolean, key: boolean, ofKey: boolean];

describeEachDriver('what ends what', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({
      backend,
      settings: {
        ...disowning,
        ...{ enableTokens: true, enableApiKeys: true, sessionIdleTtlSeconds: 120 },
        resources: { orders: { ...api, secret } },
      },
    });
  });
  afterAll(() => app?.close());

  const Authorization = `Basic ${Buffer.from(`orders:${secret}`).toString('base64')}`;
  async function isActive(token: string): Promise<boolean> {
    const body = new URLSearchParams({ token });
    const url = `${app.url}/oauth2/introspect`;
    const reply = await fetch(url, { method: 'POST', headers: { Authorization }, body });
    const answer = await reply.json();
    expect(answer.active ? answer.active : answer).toEqual(answer.active || { active: false });
    return answer.active;
  }
  const isTaken = (token: string) =>
    app.gatehouse
      .resource('orders')
      .verify(token)
      .then(() => true)
      .catch(({ code }) => {
        expect(code).toBe('unauthenticated');
        return false;
      });

  const tokenOf = async (sent: string) =>
    (await app.rest('POST', '/tokens', { resource: api.identifier }, { token: sent })).body.access_token;

  /** Somebody with one of each. */
  async function holder() {
    const member = await signUp(app);
    const { apiKeys, tokens } = app.gatehouse;
    const { key } = await apiKeys.create(member.id, { name: 'Report', scopes: ['orders:read'] });
    const { accessToken } = await tokens.issue(member.id, { resource: 'orders' });
    return { member, key, all: [await tokenOf(member.token), accessToken, key, await tokenOf(key)] };
  }

  /** Asks about each of the four in both ways, which must say the same of tokens. */
  async function count(all: readonly string[]): Promise<Row> {
    const counts = await Promise.all(
      all.map(async (token, place) => {
        const active = await isActive(token);
        const isKnown = place === 2 ? (await app.gatehouse.apiKeys.verify(token)) !== null : isTaken(token);
        expect(await isKnown, `token ${place}`).toBe(active);
        return active;
      }),
    );
    return counts as unknown as Row;
  }

  const resetOf = async ({ email }: Pick<Member, 'email'>, more: object = {}) => {
    await app.rest('POST', '/forgot-password', { email });
    const token = await nextNotMe(app, email, /new password/);
    return app.rest('POST', '/reset-password', { token, new_password: newPassword, ...more });
  };
  const change = ({ token }: Member, more: object = {}) =>
    app.rest(
      'POST',
      '/change-password',
      { current_password: password, new_password: newPassword, ...more },
      { token },
    );

  const cutoff: Row = [false, false, true, true];
  const everything: Row = [false, false, false, false];

  test.each<[string, Row, (member: Member) => Promise<unknown>]>([
    ['nothing', [true, true, true, true], async () => {}],
    ['logging out', [false, true, true, true], ({ token }) => app.rest('POST', '/logout', {}, { token })],
    ['its idle limit', [false, true, true, true], async () => app.clock.advance(121_000)],
    [
      'another session that is ended',
      [true, true, true, true],
      async member => app.rest('POST', '/logout', {}, { token: await logIn(app, member) }),
    ],
    [
      'logging out everywhere',
      cutoff,
      ({ token }) => app.rest('POST', '/logout', { everywhere: true }, { token }),
    ],
    ['the end of all sessions', cutoff, ({ id }) => app.gatehouse.users.endSessions(id)],
    ['another password', cutoff, member => change(member)],
    ['another password that ends keys', everything, member => change(member, { end_api_keys: true })],
    ['a reset', cutoff, member => resetOf(member)],
    ['a reset that ends keys', everything, member => resetOf(member, { end_api_keys: true })],
    ['disabling', everything, ({ id }) => app.gatehouse.users.disable(id)],
    [
      'disabling and enabling',
      cutoff,
      async ({ id }) => {
        await app.gatehouse.users.disable(id);
        await app.gatehouse.users.enable(id);
      },
    ],
    ['deletion', everything, ({ id }) => app.gatehouse.users.remove(id)],
    ['a take-over', everything, ({ email }) => (app.gatehouse as Assembled).operator.takeOver({ email })],
    [
      'the first proof of the address',
      everything,
      async member => {
        await app.gatehouse.repositories.users.change(member.id, { set: { isVerified: false } });
        await resetOf(member);
      },
    ],
    [
      '“this was not me”',
      everything,
      async ({ email }) =>
        app.rest('POST', '/not-me', { token: await nextNotMe(app, email, /^An API key was made/) }),
    ],
  ])('after %s', async (_, row, act) => {
    const { member, all } = await holder();
    await act(member);
    expect(await count(all)).toEqual(row);
  });

  test('a key that is removed ends its tokens, and no others', async () => {
    const { member, all } = await holder();
    const [{ id } = { id: '' }] = await app.gatehouse.apiKeys.list(member.id);
    await app.gatehouse.apiKeys.remove(member.id, id);
    expect(await count(all)).toEqual([true, true, false, false]);
  });

  test('a closed account gets nothing new, and what was there before the act counts again once it is open', async () => {
    const { member, key, all } = await holder();
    app.clock.advance(3_600_000);
    const recent = await app.gatehouse.apiKeys.create(member.id, { name: 'Later', scopes: ['orders:read'] });
    await nextNotMe(app, member.email, /^An API key was made/);
    const link = await nextNotMe(app, member.email, /^An API key was made/);
    await app.rest('POST', '/not-me', { token: link });
    expect((await app.rest('POST', '/tokens', { resource: api.identifier }, { token: key })).status).toBe(
      401,
    );
    const issued = app.gatehouse.tokens.issue(member.id, { resource: 'orders' });
    await expect(issued).rejects.toMatchObject({ code: 'unauthenticated' });
    await resetOf(member);
    expect([await isActive(key), await isActive(recent.key)]).toEqual([true, false]);
    expect(await count(all.slice(0, 2))).toEqual([false, false]);
    const token = await logIn(app, { ...member, password: newPassword });
    await app.rest('POST', '/not-me/keep', {}, { token });
    expect(await isActive(recent.key)).toBe(true);
  });
});
