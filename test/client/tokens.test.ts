import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { challengeOf, createClient, tokens } from '../../src/client/index.ts';
import { api } from '../features/access-tokens/api.ts';
import { type App, signUp, startApp } from '../support/app.ts';
import { codeOf, setUpTotp, strong } from '../support/strong.ts';
import { clientOf, interfaces, refusalOf } from './support.ts';

// Access tokens in a browser: from memory, and never longer than the session that they are of (CONTRACT §16.5).

const resource = api.identifier;

let app: App;
beforeAll(async () => {
  app = await startApp({
    settings: {
      ...strong,
      enableTokens: true,
      resources: {
        orders: api,
        bank: { identifier: 'urn:example:bank', scopes: { pay: 'Pay' }, acr: 'aal2', maxAgeSeconds: 600 },
      },
    },
  });
});
afterAll(() => app?.close());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Counts the requests for tokens. */
function watched() {
  const fetched = vi.spyOn(globalThis, 'fetch');
  return () =>
    fetched.mock.calls.filter(
      ([url, init]) => /\/tokens$/.test(String(url)) || /issueAccessToken/.test(String(init?.body)),
    ).length;
}

describe.each(interfaces)('through %s', door => {
  async function signedIn(options: object = {}) {
    const member = await signUp(app);
    const { storage } = clientOf(app, door);
    storage.set(member.token);
    const client = createClient({ url: app.url, door, storage, with: [tokens], ...options });
    return { member, storage, client };
  }

  test('a token is asked for once, and is no session', async () => {
    const { client, member, storage } = await signedIn();
    const requests = watched();
    const both = await Promise.all([
      client.issueAccessToken({ resource }),
      client.issueAccessToken({ resource }),
    ]);
    expect(both[0]).toEqual({
      ...{ accessToken: expect.any(String), tokenType: 'Bearer', expiresIn: 300 },
      scope: 'orders:read orders:write',
    });
    expect(both[1]).toEqual(both[0]);
    expect(await client.issueAccessToken({ resource })).toEqual(both[0]);
    expect(requests()).toBe(1);
    // Never in the storage.
    expect(storage.token).toBe(member.token);
    expect(client.token).toBe(member.token);
  });

  test('other scopes are another token, in whatever order they stand', async () => {
    const { client } = await signedIn();
    const requests = watched();
    const { scope } = await client.issueAccessToken({ resource, scopes: ['orders:read'] });
    expect(scope).toBe('orders:read');
    const [all, turned] = [
      ['orders:read', 'orders:write'],
      ['orders:write', 'orders:read'],
    ] as const;
    const first = await client.issueAccessToken({ resource, scopes: [...all] });
    expect(await client.issueAccessToken({ resource, scopes: [...turned] })).toEqual(first);
    expect(requests()).toBe(2);
  });

  test('30 seconds before its end another one is asked for', async () => {
    const { client } = await signedIn();
    const requests = watched();
    vi.useFakeTimers({ toFake: ['Date'] });
    const first = await client.issueAccessToken({ resource });
    vi.setSystemTime(Date.now() + 269_000);
    expect(await client.issueAccessToken({ resource })).toEqual({ ...first, expiresIn: 31 });
    vi.setSystemTime(Date.now() + 1000);
    expect((await client.issueAccessToken({ resource })).accessToken).not.toBe(first.accessToken);
    expect(requests()).toBe(2);
  });

  test('is forgotten with its session, also where another tab has replaced that', async () => {
    const { client, storage } = await signedIn();
    const first = await client.issueAccessToken({ resource });
    const other = await signUp(app);
    storage.set(other.token);
    expect((await client.issueAccessToken({ resource })).accessToken).not.toBe(first.accessToken);
    await client.logout();
    expect(await refusalOf(client.issueAccessToken({ resource }))).toMatchObject({ code: 'unauthenticated' });
  });

  test('one that is under way while another signs in is not kept for the other', async () => {
    const { client, storage } = await signedIn();
    const other = await signUp(app);
    const first = client.issueAccessToken({ resource });
    storage.set(other.token);
    const { accessToken } = await first;
    expect((await client.issueAccessToken({ resource })).accessToken).not.toBe(accessToken);
  });

  test('a refusal is not kept, and one caller that gives up does not end the request of another', async () => {
    const { client } = await signedIn();
    const unknown = () => refusalOf(client.issueAccessToken({ resource: 'https://unknown.example' }));
    expect([(await unknown()).code, (await unknown()).code]).toEqual(['invalid_target', 'invalid_target']);
    const leaving = new AbortController();
    const left = client.issueAccessToken({ resource }, { signal: leaving.signal });
    const stays = client.issueAccessToken({ resource });
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect(await stays).toMatchObject({ tokenType: 'Bearer' });
  });

  test('a stronger sign-in is asked for with what would do, and the token is asked for once more', async () => {
    const member = await signUp(app);
    const { secret } = await setUpTotp(app, member);
    const { storage } = clientOf(app, door);
    storage.set(member.token);
    const wanted: object[] = [];
    const client = createClient({
      ...{ url: app.url, door, storage, with: [tokens] },
      async onRecentSignInRequired(asked) {
        wanted.push(asked);
        app.clock.advance(30_000);
        const challenge = await client.login({ email: member.email, password: member.password });
        const { mfaPendingToken } = challenge as { mfaPendingToken: string };
        await client.confirmLoginMfa({ mfaPendingToken, method: 'totp', code: codeOf(app, secret) });
      },
    });
    const token = await client.issueAccessToken({ resource: 'urn:example:bank' });
    expect(token.scope).toBe('pay');
    expect(wanted).toEqual([{ acrValues: ['aal2', 'phr'], maxAge: 600 }]);
    expect(await client.issueAccessToken({ resource: 'urn:example:bank' })).toEqual(token);
    const { response } = await app.gatehouse.resource('orders').protect(
      new Request('https://api.example.org/', {
        headers: { Authorization: `Bearer ${(await client.issueAccessToken({ resource })).accessToken}` },
      }),
      { acr: 'phr', maxAge: 5 },
    );
    expect(response?.status).toBe(403);
  });

  test('without somebody to ask, the refusal says what would do', async () => {
    const { client, member } = await signedIn();
    await setUpTotp(app, member);
    const refused = client.issueAccessToken({ resource, acrValues: ['aal2'], maxAge: 60 });
    await expect(refused).rejects.toMatchObject({
      ...{ code: 'recent_sign_in_required', acrValues: ['aal2', 'phr'], maxAge: 60 },
    });
  });
});

describe('the challenge of an API', () => {
  const of = (status: number, challenge?: string) =>
    challengeOf(new Response(null, { status, headers: challenge ? { 'WWW-Authenticate': challenge } : {} }));

  test.each([
    [401, 'Bearer', {}],
    [403, 'Bearer error="insufficient_scope", scope="a:read b"', { scopes: ['a:read', 'b'] }],
    [
      401,
      'Bearer error="insufficient_user_authentication", resource_metadata="https://x/?scope=y", acr_values="aal2 phr", max_age=60',
      { acrValues: ['aal2', 'phr'], maxAge: 60 },
    ],
    [401, 'Basic realm="x", bearer max_age="5"', { maxAge: 5 }],
    [401, 'Basic realm="x"', null],
    [401, undefined, null],
    [200, 'Bearer scope="a"', null],
  ])('of %i %s is read', (status, challenge, expected) => {
    expect(of(status, challenge)).toEqual(expected);
  });

  test('is what the guards of APIs send', async () => {
    const member = await signUp(app);
    await setUpTotp(app, member);
    const client = createClient({ url: app.url, door: 'rest', with: [tokens] });
    const { body } = await app.rest('POST', '/tokens', { resource }, { token: member.token });
    const request = new Request('https://api.example.org/', {
      headers: { Authorization: `Bearer ${body.access_token}` },
    });
    const { response } = await app.gatehouse.resource('orders').protect(request, { acr: 'aal2', maxAge: 9 });
    expect(client.challengeOf(response!)).toEqual({ acrValues: ['aal2', 'phr'], maxAge: 9 });
  });
});
