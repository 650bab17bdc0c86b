import type { RequestOptions } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, jwtSecret, type Member, signUp, startApp } from '../support/app.ts';
import { type Answer, type Body, sendTo } from './raw-request.ts';

const browserApp = 'https://app.example';
let app: App;
let member: Member;
beforeAll(async () => {
  app = await startApp({ settings: { corsOrigins: [browserApp], enableAdminRouter: true } });
  member = await signUp(app);
});
afterAll(() => app?.close());

const send = (path: string, body?: Body, options?: RequestOptions, to = app) =>
  sendTo(to, path, body, options);

const login = (body: Body, headers = {}) => send('/login', body, { headers });
const codeOf = ({ text }: Answer) => JSON.parse(text).code;
const credentials = () => JSON.stringify({ email: member.email, password: member.password });

describe('a method', () => {
  test.each([
    ['GET', '/login', 'POST, OPTIONS'],
    ['HEAD', '/verify', 'POST, OPTIONS'],
    ['PUT', '/me', 'GET, HEAD, PATCH, OPTIONS'],
    ['DELETE', '/register', 'POST, OPTIONS'],
    ['PATCH', '/logout', 'POST, OPTIONS'],
  ])('that a path does not have is told with those that it has: %s %s', async (method, path, allow) => {
    const { status, headers, body } = await app.rest(method, path);
    expect(status).toBe(405);
    expect(headers.get('Allow')).toBe(allow);
    if (method !== 'HEAD') expect(body.code).toBe('method_not_allowed');
  });

  test('HEAD answers as GET does, without the body', async () => {
    const { token } = member;
    const get = await app.rest('GET', '/me', undefined, { token });
    const head = await app.rest('HEAD', '/me', undefined, { token });
    expect(head.status).toBe(200);
    expect(head.body).toBe('');
    expect(head.headers.get('Content-Length')).toBe(get.headers.get('Content-Length'));
    expect((await app.rest('HEAD', '/me')).status).toBe(401);
  });

  test('OPTIONS names the methods of a path', async () => {
    const { status, headers, body } = await app.rest('OPTIONS', '/me');
    expect([status, headers.get('Allow'), body]).toEqual([204, 'GET, HEAD, PATCH, OPTIONS', '']);
  });
});

describe('a path', () => {
  test.each(['/nothing', '/', '/me/', '/ME', '/me/x', '/login%2f', '/%6de%00', '/%', '/%ff', '/%e0%a4%a'])(
    'that the API does not have is left to the host: %s',
    async path => {
      const answer = await send(path, '', { method: 'GET', headers: { 'content-type': '' } });
      expect(answer.status).toBe(404);
      expect(answer.text).toBe('not known to the host');
    },
  );

  test('may be a whole address, whatever host it names', async () => {
    // A stranger fills the log with errors by an address that no parser takes (RFC 9112 §3.2.2).
    const { origin, pathname } = new URL(app.url);
    const ask = (path: string) =>
      send(path, '', { method: 'GET', path: `http://x:99999${pathname}${path}` }, { ...app, url: origin });
    expect(codeOf(await ask('/admin/users?limit=1'))).toBe('unauthenticated');
    expect((await ask('/graphql?query=%7Bfeatures%7BappName%7D%7D')).status).toBe(200);
  });

  test('may have a query of any form, which changes nothing', async () => {
    const { token } = member;
    expect((await app.rest('GET', '/me?%ff=%&a[b]=c&__proto__[x]=1', undefined, { token })).status).toBe(200);
  });
});

describe('an answer', () => {
  test('is JSON in UTF-8 that is neither stored nor sniffed', async () => {
    const answers = [
      await login(credentials()),
      await login('{}'),
      await send('/me', '', { method: 'GET', headers: { authorization: `Bearer ${member.token}` } }),
      await send('/me', '', { method: 'DELETE' }),
    ];
    for (const { headers } of answers) {
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-type']).toMatch(/^application\/(json; charset=utf-8|problem\+json)$/);
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  test('that refuses is a problem with a code', async () => {
    const { status, headers, body } = await app.rest('POST', '/login', { email: 'ada', extra: 1 });
    expect(status).toBe(422);
    expect(headers.get('Content-Type')).toBe('application/problem+json');
    expect(body).toEqual({
      type: 'urn:gatehouse:error:invalid_input',
      title: 'Invalid input',
      status: 422,
      detail: expect.stringMatching(/\w.*\.$/),
      code: 'invalid_input',
      errors: expect.arrayContaining([
        { path: 'email', message: expect.any(String), rule: 'email', params: { most: 254 } },
        { path: 'password', message: 'is required', rule: 'required' },
        { path: 'extra', message: expect.any(String), rule: 'unknown_field' },
      ]),
    });
  });

  test('of 401 names its challenge', async () => {
    for (const { status, headers } of [
      await app.rest('GET', '/me'),
      await app.rest('GET', '/me', undefined, { token: 'garbage' }),
      await app.rest('POST', '/login', { email: 'nobody@example.org', password: 'wrong' }),
    ]) {
      expect([status, headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
    }
  });

  test('says of a bad session which class it is of, and no more', async () => {
    const detail = async (options: object) => (await app.rest('GET', '/me', undefined, options)).body.detail;
    expect(await detail({})).toBe('No session token was sent.');
    expect(await detail({ token: 'x.y.z' })).toBe('The session token is not valid.');
    expect(await detail({ headers: { authorization: 'Basic eDp5' } })).toBe('No session token was sent.');
  });

  test.each(['bearer', 'BEARER', 'Bearer '])('takes the scheme %s', async scheme => {
    const headers = { authorization: `${scheme} ${member.token}` };
    expect((await app.rest('GET', '/me', undefined, { headers })).status).toBe(200);
  });

  test('repeats no secret, no password and nothing of the inside', async () => {
    const password = 'a very secret password';
    const answers = [
      await login(`{"email": "a@example.org", "password": "${password}`),
      await login(`{"email": ["${password}"], "password": 5, "${'x'.repeat(100)}": 1}`),
      await login(JSON.stringify({ email: `${password}@example.org`, password })),
      await send('/verify', JSON.stringify({ token: password })),
      await send('/me', '', { method: 'GET', headers: { authorization: `Bearer ${password}` } }),
    ];
    for (const { text } of answers) {
      for (const inside of [
        password,
        jwtSecret,
        'node_modules',
        '/src/',
        '    at ',
        'select ',
        'zod',
        'ZodError',
      ]) {
        expect(text).not.toContain(inside);
      }
    }
  });
});
