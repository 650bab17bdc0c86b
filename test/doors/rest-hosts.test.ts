import type { RequestHandler } from 'express';
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
      const needed = [
        'X-Request-Id',
        'Retry-After',
        'RateLimit-Limit',
        'RateLimit-Remaining',
        'RateLimit-Reset',
      ];
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

  test('asks the host itself about a path of its own', async () => {
    const { headers } = await app.rest('OPTIONS', '/mine', undefined, from(browserApp, preflight));
    expect(headers.get('Access-Control-Allow-Methods')).toBeNull();
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

  test('gets no leave where no origin is configured, and its developer is told in the log, once', async () => {
    const closed = await startApp();
    const told = () => closed.logs.filter(({ message }) => message.includes('cors_origins'));
    await closed.rest('GET', '/me', undefined, from('http://localhost:8000'));
    await closed.rest('GET', '/me', undefined, from('null'));
    expect(told()).toEqual([]);
    for (const path of ['/me', '/login', '/me']) {
      const { headers } = await closed.rest('OPTIONS', path, undefined, from(browserApp, preflight));
      expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
    }
    const message = `origin ${browserApp} is not in cors_origins`;
    expect(told()).toMatchObject([{ level: 'warn', fields: { origin: browserApp }, message }]);
    await closed.close();
    // Anybody can send any origin to a service that is in use.
    const inUse = await startApp({ settings: { baseUrl: 'https://accounts.example' } });
    await inUse.rest('GET', '/me', undefined, from(browserApp));
    expect(inUse.logs.filter(({ message }) => message.includes('cors_origins'))).toEqual([]);
    await inUse.close();
  });
});
