import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, signUp, startApp } from '../../support/app.ts';
import { type Door, doors, resultOf } from '../../support/doors.ts';
import { signUpSuperuser } from '../../support/people.ts';
import { setUpTotp, strong } from '../../support/strong.ts';
import { api } from './api.ts';

// Access tokens that other services check (CONTRACT §16.2 and §16.3), through both doors.

const base = 'http://localhost:8000';
const resources = {
  orders: { ...api, claims: ['email', 'email_verified', 'name', 'roles', 'company'] },
  bank: { identifier: 'urn:example:bank', scopes: { pay: 'Pay' }, acr: 'aal2', tokenTtlSeconds: 60 },
  fresh: { identifier: `${base}/fresh`, scopes: { f: 'F' }, maxAgeSeconds: 60, signingAlgorithm: 'EdDSA' },
  machines: { identifier: 'https://machines.example', scopes: { m: 'M' }, forSessions: false },
} as const;

let app: App;
beforeAll(async () => {
  app = await startApp({
    settings: {
      ...strong,
      enableTokens: true,
      signingAlgorithms: ['ES256', 'EdDSA'],
      roles: ['editor'],
      userFields: { company: {} },
      resources: structuredClone(resources) as never,
    },
  });
});
afterAll(() => app?.close());

const documentOf = (path: string, init?: RequestInit) => fetch(`${app.origin}/.well-known/${path}`, init);
const keySet = async () => (await documentOf('jwks.json')).json();

/** What jose says of a token, as an API would ask it. */
const verify = async (token: string, audience: string) =>
  jwtVerify(token, createLocalJWKSet(await keySet()), {
    ...{ issuer: base, audience, typ: 'at+jwt', currentDate: app.clock.now() },
  });

describe.each(doors)('the rotation of an algorithm, through $name', door => {
  test('is refused where the configuration does not list it', async () => {
    const { token } = await signUpSuperuser(app);
    const input = { algorithm: 'RS256', force: true };
    const answer = await door.at(app)('adminRotateSigningKeys', input, { token });
    expect(answer).toMatchObject({
      ...{ status: 422, code: 'invalid_input' },
      errors: [{ path: 'algorithm', message: 'Invalid option: expected one of "ES256"|"EdDSA"' }],
    });
    const { keys } = (await keySet()) as { keys: { alg: string }[] };
    expect(keys.map(({ alg }) => alg)).not.toContain('RS256');
  });
});

describe.each(doors)('a token, through $name', door => {
  const issue = (member: Pick<Member, 'token'>, input: object) => issueThrough(door, member.token, input);

  test('is checked by anybody with the published keys, and names the person and the scopes', async () => {
    const member = await signUp(app);
    const answer = await resultOf(issue(member, { resource: api.identifier, scopes: ['orders:read'] }));
    expect(answer).toEqual({
      ...{ access_token: expect.any(String), token_type: 'Bearer', expires_in: 300, scope: 'orders:read' },
    });
    const { payload, protectedHeader } = await verify(answer.access_token, api.identifier);
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    const session = decodeJwt(member.token);
    expect(payload).toEqual({
      ...{ iss: base, aud: api.identifier, sub: member.id, jti: expect.any(String) },
      ...{ iat: Math.floor(app.clock.now().getTime() / 1000), exp: payload.iat! + 300 },
      ...{ client_id: 'session', scope: 'orders:read', acr: 'aal1', amr: ['pwd'] },
      ...{ auth_time: session.auth_time, email: member.email, email_verified: true, roles: [] },
      session_ref: `${session.jti}.${Math.round(session.iat! * 1000).toString(36)}`,
    });
  });

  test('has all scopes in the order of the configuration where none is asked for', async () => {
    const member = await signUp(app);
    const { scope } = await resultOf(issue(member, { resource: `${api.identifier}/` }));
    expect(scope).toBe('orders:read orders:write');
    const turned = { resource: api.identifier, scopes: ['orders:write', 'orders:read'] };
    expect((await resultOf(issue(member, turned))).scope).toBe('orders:read orders:write');
  });

  test.each([
    ['an unknown resource', { resource: 'https://elsewhere.example' }, 'invalid_target'],
    ['the name of a resource', { resource: 'orders' }, 'invalid_target'],
    ['a resource that sessions may not have', { resource: 'https://machines.example' }, 'invalid_target'],
    ['a scope of another resource', { resource: api.identifier, scopes: ['pay'] }, 'invalid_scope'],
    ['no scope', { resource: api.identifier, scopes: [] }, 'invalid_input'],
    ['an empty scope', { resource: api.identifier, scopes: [''] }, 'invalid_input'],
    ['a scope twice', { resource: api.identifier, scopes: ['orders:read', 'orders:read'] }, 'invalid_input'],
    ['an empty resource', { resource: '' }, 'invalid_input'],
    ['no strength', { resource: api.identifier, acr_values: [] }, 'invalid_input'],
    ['an unknown strength alone', { resource: api.identifier, acr_values: ['gold'] }, 'invalid_input'],
    ['an age below zero', { resource: api.identifier, max_age: -1 }, 'invalid_input'],
  ])('is not issued for %s', async (_, input, code) => {
    expect(await issue(await signUp(app), input)).toMatchObject({ ok: false, code });
  });

  // Shows asvs/9.2.2.
  test('is no session, at any operation', async () => {
    const member = await signUp(app);
    const { access_token: token } = await resultOf(issue(member, { resource: api.identifier }));
    expect(await issueThrough(door, token, { resource: api.identifier })).toMatchObject({
      code: 'unauthenticated',
    });
    expect(await door.at(app)('me', undefined, { token })).toMatchObject({ code: 'unauthenticated' });
  });

  // Shows asvs/9.2.1.
  test('never lives longer than its session', async () => {
    const member = await signUp(app);
    app.clock.advance(7200_000 - 100_500);
    const { access_token, expires_in } = await resultOf(issue(member, { resource: api.identifier }));
    expect(decodeJwt(access_token).exp).toBeLessThanOrEqual(decodeJwt(member.token).exp!);
    expect(expires_in).toBeLessThanOrEqual(101);
  });

  test('of a resource that asks for two factors needs them, and an account without any sets one up first', async () => {
    const member = await signUp(app);
    const bank = { resource: 'urn:example:bank' };
    expect(await issue(member, bank)).toMatchObject({ ok: false, code: 'mfa_enrolment_required' });
    const { token } = await setUpTotp(app, member);
    expect(await issue(member, bank)).toMatchObject({ ok: false, code: 'recent_sign_in_required' });
    const answer = await resultOf(issueThrough(door, token, bank));
    expect(answer).toMatchObject({ expires_in: 60, scope: 'pay' });
    expect(decodeJwt(answer.access_token)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
    const asked = { resource: api.identifier, acr_values: ['phr', 'gold'] };
    expect(await issueThrough(door, token, asked)).toMatchObject({ code: 'mfa_enrolment_required' });
    const either = { resource: api.identifier, acr_values: ['phr', 'aal2'] };
    expect(await issueThrough(door, token, either)).toMatchObject({ ok: true });
  });

  test('of a resource that asks for a recent sign-in needs one, and the stricter age counts', async () => {
    const member = await signUp(app);
    const fresh = { resource: resources.fresh.identifier };
    const { access_token } = await resultOf(issue(member, fresh));
    expect(decodeProtectedHeader(access_token).alg).toBe('EdDSA');
    await verify(access_token, resources.fresh.identifier);
    app.clock.advance(30_000);
    expect(await issue(member, { ...fresh, max_age: 20 })).toMatchObject({
      code: 'recent_sign_in_required',
    });
    expect(await issue(member, { ...fresh, max_age: 3600 })).toMatchObject({ ok: true });
    app.clock.advance(31_000);
    expect(await issue(member, { ...fresh, max_age: 3600 })).toMatchObject({
      code: 'recent_sign_in_required',
    });
    const again = await logIn(app, member);
    expect(await issueThrough(door, again, fresh)).toMatchObject({ ok: true });
  });
});

const issueThrough = (door: Door, token: string, input: object) =>
  door.at(app)('issueAccessToken', input, { token });

test('a refusal names the sign-in that would do, in the problem, the challenge and the extensions', async () => {
  const member = await signUp(app);
  await setUpTotp(app, member);
  app.clock.advance(10_000);
  const input = { resource: 'urn:example:bank', max_age: 5 };
  const reply = await app.rest('POST', '/tokens', input, { token: member.token });
  expect(reply).toMatchObject({ status: 401, body: { acr_values: ['aal2', 'phr'], max_age: 5 } });
  expect(reply.headers.get('WWW-Authenticate')).toBe(
    'Bearer error="insufficient_user_authentication", acr_values="aal2 phr", max_age=5',
  );
  const document =
    'mutation { issueAccessToken(input: { resource: "urn:example:bank", maxAge: 5 }) { scope } }';
  const { body } = await app.graphql(document, {}, { token: member.token });
  expect(body.errors[0].extensions).toMatchObject({ acrValues: ['aal2', 'phr'], maxAge: 5 });
});

describe('the documents', () => {
  const discovery = {
    issuer: base,
    jwks_uri: `${base}/.well-known/jwks.json`,
    introspection_endpoint: `${base}/api/auth/oauth2/introspect`,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint: `${base}/api/auth/oauth2/revoke`,
    revocation_endpoint_auth_methods_supported: ['none'],
    acr_values_supported: ['aal1', 'aal2', 'phr'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'EdDSA'],
    response_types_supported: [],
    grant_types_supported: [],
  };

  test('are of fixed bytes, public, and say where the keys are', async () => {
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const response = await documentOf(name);
      expect(await response.text()).toBe(JSON.stringify(discovery));
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      });
      expect(response.headers.get('Vary')).toBeNull();
    }
  });

  test('have only the public parts of keys, current before next, by algorithm', async () => {
    const response = await documentOf('jwks.json');
    expect(response.headers.get('Content-Type')).toBe('application/jwk-set+json');
    const { keys } = (await response.json()) as { keys: object[] };
    expect(keys.map(key => Object.keys(key).join())).toEqual([
      ...Array(2).fill('kty,crv,x,y,kid,alg,use'),
      ...Array(2).fill('kty,crv,x,kid,alg,use'),
    ]);
  });

  test('are not sent again to clients that have them, and take no other method', async () => {
    const tag = (await documentOf('jwks.json')).headers.get('ETag')!;
    expect(await documentOf('jwks.json', { headers: { 'If-None-Match': `W/${tag}` } })).toMatchObject({
      status: 304,
    });
    const head = await documentOf('jwks.json', { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('ETag')]).toEqual([200, '', tag]);
    const preflight = await documentOf('jwks.json', { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('Access-Control-Allow-Origin')]).toEqual([204, '*']);
    expect((await documentOf('jwks.json', { method: 'POST' })).status).toBe(405);
  });

  test('are the same bytes through every mount, whatever a request says of its host', async () => {
    const hostile = {
      Host: 'evil.example',
      Forwarded: 'host=evil.example;proto=http',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-Prefix': '/evil',
    };
    for (const name of ['jwks.json', 'openid-configuration', 'oauth-authorization-server']) {
      const plain = await (await documentOf(name)).text();
      const url = `https://evil.example/.well-known/${name}`;
      const fetched = await app.gatehouse.fetch(new Request(url, { headers: hostile }));
      expect(await fetched.text()).toBe(plain);
      expect(await (await documentOf(name, { headers: hostile })).text()).toBe(plain);
      expect(plain).not.toContain('evil');
    }
  });

  test('have the metadata of APIs of this origin, and leave the rest to the host', async () => {
    const response = await documentOf('oauth-protected-resource/fresh');
    expect(await response.json()).toEqual({
      ...{ resource: `${base}/fresh`, authorization_servers: [base], scopes_supported: ['f'] },
      ...{ bearer_methods_supported: ['header'], resource_name: 'fresh' },
    });
    for (const other of ['oauth-protected-resource', 'openid-configuration/x', 'jwks', 'x']) {
      expect(await (await documentOf(other)).text()).toBe('not known to the host');
    }
  });

  test('of an issuer with a path are at its paths, and the root has none of ours', async () => {
    const other = await startApp({
      settings: { ...strong, enableTokens: true, issuer: `${base}/id`, enableUiRouter: false },
    });
    const at = async (path: string) => {
      const response = await other.gatehouse.fetch(new Request(`${base}${path}`));
      return [response.status, response.status === 200 ? await response.json() : null] as const;
    };
    for (const path of [
      '/id/.well-known/openid-configuration',
      '/.well-known/openid-configuration/id',
      '/.well-known/oauth-authorization-server/id',
    ]) {
      expect(await at(path)).toMatchObject([
        200,
        { issuer: `${base}/id`, jwks_uri: `${base}/id/.well-known/jwks.json` },
      ]);
    }
    expect(await at('/id/.well-known/jwks.json')).toMatchObject([200, { keys: expect.any(Array) }]);
    for (const path of [
      '/.well-known/jwks.json',
      '/.well-known/openid-configuration',
      '/id/.well-known/oauth-authorization-server',
      '/id/.well-known/change-password',
    ]) {
      expect((await at(path))[0]).toBe(404);
    }
    await other.close();
  });
});
