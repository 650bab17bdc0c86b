import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createResourceServer, type TokenRequirements } from '../../src/verify/index.ts';
import { api } from '../features/access-tokens/api.ts';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { listen } from '../support/listening.ts';
import { setUpTotp, strong } from '../support/strong.ts';

// The guards of other processes answer as those of Gatehouse's own (CONTRACT §16.5).

const secret = 's'.repeat(32);
const scopes = Object.keys(api.scopes);
const identifier = api.identifier;
const issuer = 'http://localhost:8000';

let app: App;
beforeAll(async () => {
  app = await startApp({
    settings: { ...strong, enableTokens: true, resources: { orders: { ...api, secret } } },
  });
});
afterAll(() => app?.close());

/** An API in a process of its own, that reaches this instance alone. */
const foreign = (more: object = {}) =>
  createResourceServer({
    ...{ issuer, resource: identifier, scopes, fetch: request => app.gatehouse.fetch(request) },
    ...{ now: () => app.clock.now(), ...more },
  });

const at = (token?: string, init: RequestInit = {}) =>
  new Request('https://api.example.org/orders', {
    ...init,
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...init.headers },
  });

async function issue({ token }: Pick<Member, 'token'>, wanted = scopes): Promise<string> {
  const input = { resource: identifier, scopes: wanted };
  return (await app.rest('POST', '/tokens', input, { token })).body.access_token;
}

/** What a client sees of an answer. */
const seen = async (response: Response | null) =>
  response && {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };

test('both let the same requests through, but for the person', async () => {
  const token = await issue(await signUp(app));
  const [own, other] = await Promise.all([
    app.gatehouse.resource('orders').protect(at(token), { cors: true }),
    foreign().protect(at(token), { cors: true }),
  ]);
  expect(other.headers).toEqual(own.headers);
  const { user: _, resource: __, ...auth } = own.auth!;
  expect(other.auth).toEqual({ ...auth, resource: identifier });
});

test('both publish the same of the API; its name is known here where it is given', () => {
  const { metadata } = app.gatehouse.resource('orders');
  const { resource_name: label, ...others } = metadata!;
  expect(label).toBe('Orders');
  expect(foreign({ label }).metadata).toEqual(metadata);
  expect(foreign().metadata).toEqual(others);
});

test('both refuse with the same words', async () => {
  const member = await signUp(app);
  await setUpTotp(app, member);
  const token = await issue(member, ['orders:read']);
  const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' };
  const options = { method: 'OPTIONS', headers: preflight };
  const cases: [Request, TokenRequirements][] = [
    [at(), {}],
    [at(undefined, { headers: { Authorization: 'Basic x' } }), { scopes }],
    [at('x'), { scopes, cors: true }],
    [at(member.token), {}],
    [at(token), { scopes }],
    [at(token), { acr: 'aal2' }],
    [at(token), { acr: 'aal2', maxAge: 0 }],
    [at(token, { method: 'HEAD' }), { scopes }],
    [at(undefined, options), { cors: true }],
    [at(undefined, options), {}],
    [at(undefined, { method: 'OPTIONS' }), { cors: true }],
  ];
  app.clock.advance(1000);
  for (const [request, required] of cases) {
    const { response, auth } = await app.gatehouse.resource('orders').protect(request, required);
    expect(auth).toBeNull();
    const other = await foreign().protect(request, required);
    expect(await seen(other.response)).toEqual(await seen(response));
  }
});

test('both ask for an access token, as a session is none', async () => {
  const { token } = await signUp(app);
  for (const api of [app.gatehouse.resource('orders'), foreign()])
    for (const request of [at(), at(token)]) {
      const { response } = await api.protect(request);
      expect(await response!.json()).toMatchObject({ detail: 'A valid access token is required.' });
    }
});

test('the cause of a refusal says which claim is not as it should be', async () => {
  const token = await issue(await signUp(app));
  for (const [wrong, claim] of [
    [{ resource: 'https://other.example.org' }, 'aud'],
    [{ now: () => Number(app.clock.now()) - 3_600_000 }, 'iat'],
    [{ now: () => Number(app.clock.now()) + 3_600_000 }, 'exp'],
  ] as const) {
    const error = await foreign(wrong)
      .verify(token)
      .catch(error => error);
    expect(error).toMatchObject({
      code: 'unauthenticated',
      cause: { message: expect.stringContaining(`"${claim}"`) },
    });
  }
});

test('a misspelt requirement and an unknown scope are TypeErrors', () => {
  expect(() => foreign().requireToken({ scopes: ['orders:delete'] })).toThrow(TypeError);
  expect(() => foreign().requireToken({ scope: ['orders:read'] } as object)).toThrow(TypeError);
});

test('middleware guards a server of Node, in each of its routes', async () => {
  const api = foreign();
  const guard = api.requireToken({ scopes: ['orders:read'], cors: true });
  const { origin: url, close } = await listen((req, res) =>
    guard(req, res, () => res.end(JSON.stringify((req as never as { auth: object }).auth))),
  );
  try {
    const member = await signUp(app);
    const headers = { Authorization: `Bearer ${await issue(member)}` };
    expect(await (await fetch(url, { headers })).json()).toMatchObject({ userId: member.id });
    const refused = await fetch(url);
    expect([refused.status, refused.headers.get('Access-Control-Allow-Origin')]).toEqual([401, '*']);
    expect(refused.headers.get('Content-Type')).toBe('application/problem+json');
    expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(401);
  } finally {
    await close();
  }
});

describe('with introspection', () => {
  const introspection = { name: 'orders', secret };
  const counts = async (server: ReturnType<typeof foreign>, token: string) =>
    server.verify(token).then(
      () => true,
      error => error.code,
    );

  test('a token that was ended is refused at once, and without it when it expires', async () => {
    const member = await signUp(app);
    const token = await issue(member);
    const [asking, silent] = [foreign({ introspection }), foreign()];
    expect([await counts(asking, token), await counts(silent, token)]).toEqual([true, true]);
    await app.rest('POST', '/logout', {}, { token: member.token });
    expect([await counts(asking, token), await counts(silent, token)]).toEqual(['unauthenticated', true]);
    app.clock.advance(331_000);
    expect(await counts(silent, token)).toBe('unauthenticated');
  });

  test('an answer is kept as long as it is said, and a refusal never', async () => {
    const member = await signUp(app);
    const token = await issue(member);
    const asking = foreign({ introspection: { ...introspection, cacheSeconds: 10 } });
    expect(await counts(asking, token)).toBe(true);
    await app.rest('POST', '/logout', {}, { token: member.token });
    expect(await counts(asking, token)).toBe(true);
    app.clock.advance(10_000);
    expect(await counts(asking, token)).toBe('unauthenticated');
  });

  test.each([
    ['a secret that is wrong', { introspection: { name: 'orders', secret: 'x'.repeat(32) } }],
    ['an issuer that is down', { introspection, fetch: withoutEndpoint('oauth2/introspect') }],
    ['no document that names the place', { introspection, fetch: withoutEndpoint('openid-configuration') }],
  ])('%s is an outage', async (_, more) => {
    const token = await issue(await signUp(app));
    expect(await counts(foreign(more), token)).toBe('unavailable');
  });

  function withoutEndpoint(end: string) {
    return async (request: Request) =>
      request.url.endsWith(end) ? new Response('', { status: 502 }) : app.gatehouse.fetch(request);
  }

  test('the secret goes to no other origin than the keys come from', async () => {
    const token = await issue(await signUp(app));
    const asked: string[] = [];
    const lead = async (request: Request) => {
      asked.push(request.url);
      if (!request.url.endsWith('openid-configuration')) return app.gatehouse.fetch(request);
      return Response.json({ issuer, introspection_endpoint: 'https://evil.example/introspect' });
    };
    expect(await counts(foreign({ introspection, fetch: lead }), token)).toBe('unavailable');
    expect(asked.filter(url => url.includes('evil'))).toEqual([]);
  });
});
