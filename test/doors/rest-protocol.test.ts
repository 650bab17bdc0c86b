import { once } from 'node:events';
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import express, { type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type App, jwtSecret, type Member, signUp, startApp } from '../support/app.ts';

const browserApp = 'https://app.example';

let app: App;
let member: Member;
beforeAll(async () => {
  app = await startApp({ settings: { corsOrigins: [browserApp], enableAdminRouter: true } });
  member = await signUp(app);
});
afterAll(() => app?.close());

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A request as `fetch` would not send it. Chunks go without a Content-Length, as chunked bodies do. */
async function send(
  path: string,
  body: Buffer | string | Iterable<Buffer> = '',
  { headers = {}, ...options }: RequestOptions = {},
  to = app,
): Promise<Answer> {
  const type = { 'content-type': 'application/json' };
  const req = request(`${to.url}${path}`, { method: 'POST', ...options, headers: { ...type, ...headers } });
  const answered = once(req, 'response');
  // What the server leaves unread may reset the connection once the answer is here.
  req.on('error', () => {});
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    req.setHeader('content-length', Buffer.byteLength(body));
    req.end(body);
  } else {
    for (const chunk of body) req.write(chunk);
    req.end();
  }
  const [res] = await answered;
  return { status: res.statusCode, headers: res.headers, text: await text(res) };
}

const login = (body: Buffer | string | Iterable<Buffer>, headers = {}) => send('/login', body, { headers });
const codeOf = ({ text }: Answer) => JSON.parse(text).code;
const credentials = () => JSON.stringify({ email: member.email, password: member.password });

describe('a body', () => {
  test.each([
    ['half an object', '{"email": "a'],
    ['a trailing comma', '{"email": "a",}'],
    ['two values', '{} {}'],
    ['single quotes', "{'email': 'a'}"],
    ['NaN', '{"email": NaN}'],
    ['white space alone', '  '],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong UTF-8 form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
  ])('that is %s is no JSON', async (_, body) => {
    const answer = await login(body);
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('bad_json');
  });

  test('may begin with a byte order mark', async () => {
    expect((await login(`\ufeff${credentials()}`)).status).toBe(200);
  });

  test.each([
    ['no bytes', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"text"'],
    ['a number', '5'],
    ['false', 'false'],
  ])('of %s is no login', async (_, body) => {
    const answer = await login(body);
    expect(answer.status).toBe(422);
    expect(codeOf(answer)).toBe('invalid_input');
  });

  test('that is missing is an empty object', async () => {
    const answer = await send('/login', [], { headers: {} });
    expect(codeOf(answer)).toBe('invalid_input');
    const { token } = await signUp(app);
    expect((await app.rest('POST', '/logout', undefined, { token })).status).toBe(200);
  });

  test.each([
    ['lists', '['.repeat(30_000), ']'.repeat(30_000)],
    ['objects', '{"a":'.repeat(9_000), `1${'}'.repeat(9_000)}`],
  ])('of deeply nested %s is refused like any other, whatever the field', async (_, open, close) => {
    // An attacker sends nesting that overflows the stack of a recursive parser or validator.
    expect(codeOf(await login(`${open}${close}`))).toBe('invalid_input');
    expect(codeOf(await login(`{"email":${open}${close}}`))).toBe('invalid_input');
  });

  test.each(['__proto__', 'constructor', 'prototype', 'toString'])(
    'with the key %s is refused, and no object gets a property by it',
    async key => {
      // An attacker pollutes the prototype that all objects share.
      const answer = await login(`{"${key}": {"is_superuser": true}, ${credentials().slice(1)}`);
      expect(codeOf(answer)).toBe('invalid_input');
      expect({}).not.toHaveProperty('is_superuser');
    },
  );

  test('with a key twice counts its last value, as JSON.parse has it', async () => {
    const doubled = credentials().replace('{', '{"email":"eve@example.org",');
    expect((await login(doubled)).status).toBe(200);
  });

  describe('over 64 KiB', () => {
    const limit = 64 * 1024;
    const padded = (length: number) =>
      credentials()
        .replace('{', `{${' '.repeat(length)}`)
        .slice(0, length);
    const exact = (length: number) =>
      `{${' '.repeat(length - credentials().length)}${credentials().slice(1)}`;
    function* chunks(text: string): Generator<Buffer> {
      for (let i = 0; i < text.length; i += 16_384) yield Buffer.from(text.slice(i, i + 16_384));
    }

    test('is one byte more than is taken', async () => {
      expect((await login(exact(limit))).status).toBe(200);
      expect((await login(chunks(exact(limit)))).status).toBe(200);
    });

    test.each([
      ['announced', (length: number) => padded(length)],
      ['sent in chunks', (length: number) => chunks(padded(length))],
    ])('is refused when %s, and the client gets to see it', async (_, make) => {
      for (const length of [limit + 1, 5 * limit, 15 * limit]) {
        const answer = await login(make(length));
        expect(answer.status).toBe(413);
        expect(codeOf(answer)).toBe('body_too_large');
        expect(answer.headers.connection).toBe('close');
      }
    });

    test('is not read to its end', async () => {
      // An attacker keeps sending for as long as the server keeps reading.
      const req = request(`${app.url}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      req.on('error', () => {});
      const closed = new Promise(resolve => req.once('close', resolve));
      const chunk = Buffer.alloc(65_536, ' ');
      const more = () => {
        while (!req.destroyed && req.write(chunk));
      };
      req.on('drain', more);
      more();
      await closed;
    });
  });

  test.each([
    ['no type', { 'content-type': '' }],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['another JSON', { 'content-type': 'application/jsonp' }],
    ['another character set', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['UTF-16', { 'content-type': 'application/json;charset="utf-16"' }],
    ['an unknown encoding', { 'content-encoding': 'br' }],
  ])('declared as %s is not taken', async (_, headers) => {
    const answer = await login(credentials(), headers);
    expect(answer.status).toBe(415);
    expect(codeOf(answer)).toBe('unsupported_media_type');
  });

  test('that is compressed is not taken', async () => {
    // An attacker sends a few bytes that unpack to many.
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const answer = await login(bomb.subarray(0, 60_000), { 'content-encoding': 'gzip' });
    expect(codeOf(answer)).toBe('unsupported_media_type');
  });

  test.each([
    'application/json',
    'Application/JSON; Charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; profile=x',
    'application/vnd.api+json',
  ])('declared as %s is taken', async type => {
    expect((await login(credentials(), { 'content-type': type })).status).toBe(200);
  });
});

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
  test('is JSON in UTF-8 that nobody stores or takes for something else', async () => {
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
        { path: 'email', message: expect.any(String) },
        { path: 'password', message: 'is required' },
        { path: 'extra', message: expect.any(String) },
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

describe('an unforeseen error', () => {
  const failure = new Error(`a failure that names /etc/gatehouse and ${jwtSecret}`);

  async function whileTheClockIsBroken<T>(on: App, work: () => Promise<T>): Promise<T> {
    const broken = vi.spyOn(on.clock, 'now').mockImplementation(() => {
      throw failure;
    });
    try {
      return await work();
    } finally {
      broken.mockRestore();
    }
  }

  test('is masked, and found in the log under the id that the answer names', async () => {
    const { token } = member;
    const { status, body } = await whileTheClockIsBroken(app, () =>
      app.rest('GET', '/me', undefined, { token }),
    );
    expect(status).toBe(500);
    expect(body).toEqual({
      type: 'urn:gatehouse:error:internal_error',
      title: 'Internal error',
      status: 500,
      detail: expect.any(String),
      code: 'internal_error',
    });
    const [id] = /[0-9a-f-]{36}/.exec(body.detail) ?? [];
    const record = app.logs.findLast(({ level }) => level === 'error');
    expect(record?.fields).toEqual({ err: failure, request_id: id });
    expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
  });

  test("bears the host's id of the request where it has one", async () => {
    const name: RequestHandler = (req, _res, next) => {
      Object.assign(req, { id: 'request-7' });
      next();
    };
    const named = await startApp({ before: [name] });
    const { token } = await signUp(named);
    const { body } = await whileTheClockIsBroken(named, () => named.rest('GET', '/me', undefined, { token }));
    expect(body.detail).toContain('request-7');
    expect(named.logs.at(-1)?.fields).toMatchObject({ request_id: 'request-7' });
    await named.close();
  });
});

describe('a browser app elsewhere', () => {
  const from = (origin: string, headers = {}) => ({ headers: { origin, ...headers } });
  const preflight = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'x' };

  test('of a configured origin reads answers, refusals too, and the headers that it needs', async () => {
    for (const { headers } of [
      await app.rest('GET', '/me', undefined, from(browserApp)),
      await app.rest('POST', '/login', member, from(browserApp)),
      await app.rest('DELETE', '/me', undefined, from(browserApp)),
      await app.graphql('{ features { appName } }', {}, from(browserApp)),
    ]) {
      expect(headers.get('Access-Control-Allow-Origin')).toBe(browserApp);
      expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
      const readable = headers.get('Access-Control-Expose-Headers')!.split(', ');
      const needed = ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
      expect(readable).toEqual(expect.arrayContaining([...needed, 'WWW-Authenticate']));
      expect(headers.get('Vary')).toContain('Origin');
    }
  });

  test('of a configured origin may ask before it calls', async () => {
    for (const path of ['/me', '/login', '/graphql']) {
      const { status, headers } = await app.rest('OPTIONS', path, undefined, from(browserApp, preflight));
      expect(status).toBe(204);
      expect(headers.get('Access-Control-Allow-Origin')).toBe(browserApp);
      expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, POST, PATCH, DELETE');
      expect(headers.get('Access-Control-Allow-Headers')).toBe('Authorization, Content-Type');
    }
  });

  test.each([
    'https://evil.example',
    'null',
    `${browserApp}.evil.example`,
    'http://app.example',
    `${browserApp}:8443`,
    'https://APP.example',
  ])('of another origin (%s) gets no leave, and caches are told that it may differ', async origin => {
    for (const [method, path] of [
      ['GET', '/me'],
      ['OPTIONS', '/me'],
      ['OPTIONS', '/login'],
    ] as const) {
      const { headers } = await app.rest(method, path, undefined, from(origin, preflight));
      expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
      expect(headers.get('Access-Control-Allow-Methods')).toBeNull();
      expect(headers.get('Vary')).toContain('Origin');
    }
  });

  test('gets no leave where no origin is configured', async () => {
    const closed = await startApp();
    const { headers } = await closed.rest('GET', '/me', undefined, from(browserApp));
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
    await closed.close();
  });
});

describe('a host that reads bodies itself', () => {
  let host: App;
  let ada: Member;
  beforeAll(async () => {
    const limit = '1mb';
    host = await startApp({
      before: [express.json({ limit }), express.urlencoded(), express.text({ limit })],
    });
    ada = await signUp(host);
  });
  afterAll(() => host?.close());

  test('hands them over, at both doors', async () => {
    const { email, password } = ada;
    expect((await host.rest('POST', '/login', { email, password })).status).toBe(200);
    const { body } = await host.graphql('{ features { appName } }');
    expect(body.data.features.appName).toBe('Gatehouse');
  });

  test.each([
    ['as it is', (text: string) => text, {}],
    ['in chunks', (text: string) => [Buffer.from(text)], {}],
    ['compressed', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
  ])('does not lift the bound of 64 KiB for a body that came %s', async (_, sent, headers) => {
    // A stranger has large documents remembered, by a host whose own routes take large bodies.
    const body = JSON.stringify({ query: `{ __typename } #${'x'.repeat(65_536)}` });
    const json = { 'content-type': 'application/json', ...headers };
    const answer = await send('/graphql', sent(body), { headers: json }, host);
    expect(answer.status).toBe(413);
    const login = JSON.stringify({ email: ada.email, password: 'x'.repeat(65_536) });
    expect((await send('/login', sent(login), { headers: json }, host)).status).toBe(413);
  });

  test('hands over nesting deeper than the stack, which is refused', async () => {
    const nested = `{"email":${'['.repeat(20_000)}${']'.repeat(20_000)},"password":"x"}`;
    const answer = await send('/login', [Buffer.from(nested)], {}, host);
    expect([413, 422]).toContain(answer.status);
  });

  test('changes nothing for requests without one', async () => {
    const { token } = ada;
    expect((await host.rest('GET', '/me', undefined, { token })).status).toBe(200);
    expect((await host.rest('POST', '/logout', undefined, { token: await freshToken() })).status).toBe(200);
  });

  const freshToken = async () => (await signUp(host)).token;

  test.each([
    ['a form', 'application/x-www-form-urlencoded', () => new URLSearchParams({ ...ada }).toString()],
    ['a text', 'text/plain', () => JSON.stringify({ email: ada.email, password: ada.password })],
  ])('does not make %s a body that the API takes', async (_, type, body) => {
    const answer = await send('/login', body(), { headers: { 'content-type': type } }, host);
    expect(answer.status).toBe(415);
  });
});
