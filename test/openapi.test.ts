import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type App,
  dataEncryptionKey,
  type Member,
  password,
  type Reply,
  signUp,
  startApp,
  tokenOf,
} from './support/app.ts';
import { newAddress, signUpSuperuser } from './support/people.ts';
import { unheardWebhook } from './support/webhooks.ts';

// The document is checked against what the routes do: nothing in it is taken on trust.

// biome-ignore lint/suspicious/noExplicitAny: what a test reads of the document, it also expects
type Json = any;

const unlimited = { mailsPerAddressPerHour: 100 };
const strong = {
  ...{ enableTotp: true, enablePasskeys: true, enableSessionList: true, dataEncryptionKey },
  notifyNewSignIn: true,
  mailStore: 'database' as const,
  auditStore: 'database' as const,
  ...unheardWebhook,
  enableBrowserSessions: true,
};

let app: App;
let document: Json;
let member: Member;
let root: Member;
beforeAll(async () => {
  app = await startApp({ settings: { enableAdminRouter: true, ...strong, ...unlimited } });
  document = (await app.rest('GET', '/openapi.json')).body;
  member = await signUp(app);
  root = await signUpSuperuser(app);
});
afterAll(() => app?.close());

interface Documented {
  method: string;
  path: string;
  operation: Json;
}

const operations = (): Documented[] =>
  Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
const filled = (path: string, value = 'nobody@example.org') => path.replace(/\{\w+\}/g, value);

/** A schema of the document, with the components that it refers to. */
const schemaOf = (schema: unknown) => {
  const text = JSON.stringify({ ...(schema as object), $defs: document.components!.schemas });
  return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
};

/** The answer is one that the document names for this operation: status, media type, code and shape. */
function expectDocumented(method: string, path: string, reply: Reply) {
  const operation = document.paths![path]![method.toLowerCase()]!;
  const response = operation.responses![reply.status]!;
  expect(response, `${method} ${path} answered ${reply.status} ${JSON.stringify(reply.body)}`).toBeDefined();
  if (reply.status === 204) {
    expect([response.content, reply.headers.get('Content-Type'), reply.body]).toEqual([undefined, null, '']);
    expect(Object.keys(response.headers!)).toEqual(['Set-Cookie']);
    return expect(reply.headers.has('Set-Cookie')).toBe(true);
  }
  const type = reply.headers.get('Content-Type')!.split(';')[0]!;
  expect(Object.keys(response.content!)).toEqual([type]);
  const result = schemaOf(response.content![type]!.schema).safeParse(reply.body);
  expect(result.error?.issues, `${method} ${path} ${reply.status}`).toBeUndefined();
  const { examples } = response.content![type]!;
  if (reply.status >= 400) expect(Object.keys(examples), `${method} ${path}`).toContain(reply.body.code);
}

const nameIn = (reference: string) => reference.split('/').at(-1)!;

test('says of each operation whether a session must be sent, may be, or is not looked at', () => {
  const security = (id: string) =>
    operations().find(({ operation }) => operation.operationId === id)?.operation.security;
  expect(security('me')).toEqual([{ session: [] }]);
  expect(security('forgotPassword')).toEqual([]);
  for (const { operation } of operations()) expect(operation.security, operation.operationId).toBeDefined();
});

test('describes what is refused once, so that a client has one type for it', () => {
  const refusals = operations().flatMap(({ operation }) =>
    Object.entries<Json>(operation.responses).filter(([status]) => Number(status) >= 400),
  );
  expect(refusals.length).toBeGreaterThan(300);
  for (const [, { content }] of refusals)
    expect(content['application/problem+json'].schema).toEqual({ $ref: '#/components/schemas/Problem' });
});

test('is OpenAPI 3.1, and everybody may read it', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  expect(document.servers).toEqual([{ url: 'http://localhost:8000/api/auth' }]);
  expect(JSON.stringify(document)).not.toMatch(/"\$ref":"(?!#\/components\/(schemas|examples)\/)/);
});

test('refers to nothing that is not there', () => {
  const text = JSON.stringify(document);
  for (const [, kind, name] of text.matchAll(/"#\/components\/(schemas|examples)\/([^"]+)"/g))
    expect(document.components[kind!]).toHaveProperty(name!);
});

test('gives every operation an id of its own', () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
});

test('names only routes that are there', async () => {
  for (const { method, path } of operations()) {
    const { status, body } = await app.rest(method, filled(path), method === 'GET' ? undefined : {});
    expect(body, `${method} ${path}`).not.toBe('not known to the host');
    expect(status, `${method} ${path}`).not.toBe(405);
  }
});

// Shows asvs/6.4.2, 63b/3.1.1.2#hints, 63b/3.1.1.2#questions.
test('names every route that is there: other methods answer 405, other paths are the host’s', async () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  for (const path of Object.keys(document.paths!)) {
    const documented = Object.keys(document.paths![path]!).map(method => method.toUpperCase());
    const others = methods.filter(method => !documented.includes(method));
    for (const method of others) {
      // A path with a parameter can also be another one: `users` is no name there.
      const { status } = await app.rest(method, filled(path), method === 'GET' ? undefined : {});
      expect(status, `${method} ${path}`).toBe(405);
    }
  }
  const undocumented = [
    ...['/', '/login/', '/Login', '/users', '/admin', '/admin/', '/admin/users/', '/admin/users/x/y'],
    ...['/phone/start', '/phone', '/login/mfa-send', '/oauth/providers', '/oauth/exchange', '/healthz'],
    ...['/admin/users/x/phone', '/metrics', '/openapi', '/openapi.yaml', '/docs', '/register/x', '//login'],
  ];
  for (const path of undocumented) {
    for (const method of ['GET', 'POST']) {
      const reply = await app.rest(method, path, method === 'GET' ? undefined : {});
      expect(reply, `${method} ${path}`).toMatchObject({ status: 404, body: 'not known to the host' });
    }
  }
});

test('names for every operation one success, and the errors that its kind can give', () => {
  for (const { method, path, operation } of operations()) {
    const statuses = Object.keys(operation.responses!).map(Number);
    expect(
      statuses.filter(status => status < 400),
      path,
    ).toHaveLength(1);
    expect(statuses).toEqual(expect.arrayContaining([500, 503]));
    if (method !== 'GET') expect(statuses).toEqual(expect.arrayContaining([400, 413, 415, 422]));
    if (operation.security.length > 0) expect(statuses).toContain(401);
    if (path.startsWith('/admin')) expect(statuses).toContain(403);
    if (/\{\w+\}/.test(path)) expect(statuses).toEqual(expect.arrayContaining([404, 422]));
  }
});

describe('what an operation asks of the session', () => {
  const codesOf = (operation: Json): string[] =>
    Object.entries<Json>(operation.responses).flatMap(([status, { content }]) =>
      Number(status) < 400 ? [] : Object.keys(content['application/problem+json'].examples),
    );
  const sensitive = [
    ...['startTotpSetup', 'confirmTotpSetup', 'startPasskeySetup', 'confirmPasskeySetup'],
    ...['removeAuthenticator', 'replaceRecoveryCodes'],
    // The current password is not enough where a second step is due; and one's own account is one's own in administration, too.
    ...['changePassword', 'changeEmail', 'deleteAccount', 'keepAddedSince'],
    ...[
      'adminChangeEmail',
      'adminRequireNewPassword',
      'adminRemoveAuthenticators',
      'adminDeleteUser',
      'adminUnlock',
    ],
  ];

  test('a recent sign-in, of changes to the ways of signing in alone, with the header that says so', () => {
    const named = operations().filter(({ operation }) =>
      codesOf(operation).includes('recent_sign_in_required'),
    );
    expect(named.map(({ operation }) => operation.operationId).sort()).toEqual(sensitive.toSorted());
    for (const { operation } of operations().filter(each => each.operation.security.length > 0)) {
      const { description } = operation.responses[401].headers['WWW-Authenticate'];
      expect(description).toContain('Bearer');
      expect(description.includes('max_age')).toBe(sensitive.includes(operation.operationId));
    }
  });

  test('a second factor, where the policy requires one, of all but the way to set one up', async () => {
    const named = (document: Json) =>
      Object.values<Json>(document.paths)
        .flatMap(methods => Object.values<Json>(methods))
        .filter(operation => codesOf(operation).includes('mfa_enrolment_required'))
        .map(operation => operation.operationId);
    expect(named(document)).toEqual([]);
    const required = await startApp({ settings: { ...strong, mfaRequired: 'superusers' } });
    expect(named((await required.rest('GET', '/openapi.json')).body).sort()).toEqual([
      ...[
        'activity',
        'changeEmail',
        'createBrowserSession',
        'deleteAccount',
        'endOtherSessions',
        'endSession',
        'keepAddedSince',
        'removeAuthenticator',
      ],
      ...['renameAuthenticator', 'replaceRecoveryCodes', 'sessions', 'updateProfile'],
    ]);
    await required.close();
  });
});

test('has examples that fit their own schemas', () => {
  let checked = 0;
  for (const { path, operation } of operations()) {
    const bodies = [operation.requestBody, ...Object.values<Json>(operation.responses)].filter(Boolean);
    for (const media of bodies.flatMap(body => Object.values<Json>(body.content ?? {}))) {
      const examples = media.example
        ? [media.example]
        : Object.values<Json>(media.examples).map(e => document.components.examples[nameIn(e.$ref)].value);
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) {
        expect(schemaOf(media.schema).safeParse(example).error?.issues, path).toBeUndefined();
        expect(JSON.stringify(example), path).not.toContain('"text"');
        checked++;
      }
    }
  }
  expect(checked).toBeGreaterThan(100);
});

describe('the answers of the operations are as it says:', () => {
  /** Method, documented path, path and body; the status is what the request is meant to give. */
  type Request = [number, string, string, () => unknown, (() => Member | undefined)?, (() => string)?];
  const login = () => ({ email: member.email, password });
  const change = () => ({ current_password: 'wrong horse battery', new_password: 'another password' });
  const move = (over: object) => () => ({ current_password: password, new_email: newAddress(), ...over });
  const asMember = () => member;
  const asRoot = () => root;
  const nothing = () => undefined;
  const theMember = () => member.id;

  const requests: Request[] = [
    [201, 'POST', '/register', () => ({ email: newAddress(), password, full_name: 'Ada' })],
    [409, 'POST', '/register', login],
    [422, 'POST', '/register', () => ({ email: 'x', password: '', surprise: 1 })],
    [400, 'POST', '/verify', () => ({ token: 'x' })],
    [422, 'POST', '/verify', () => ({})],
    [202, 'POST', '/resend-verification', () => ({ email: newAddress() })],
    [200, 'POST', '/login', login],
    [401, 'POST', '/login', () => ({ email: newAddress(), password })],
    [200, 'GET', '/me', nothing, asMember],
    [401, 'GET', '/me', nothing],
    [200, 'PATCH', '/me', () => ({ full_name: null }), asMember],
    [422, 'PATCH', '/me', () => ({ full_name: 5 }), asMember],
    [400, 'POST', '/change-password', change, asMember],
    [
      400,
      'POST',
      '/change-password',
      () => ({ current_password: password, new_password: password }),
      asMember,
    ],
    [401, 'POST', '/change-password', change],
    [202, 'POST', '/change-email', move({}), asMember],
    [400, 'POST', '/change-email', () => ({ current_password: password, new_email: member.email }), asMember],
    [409, 'POST', '/change-email', () => ({ current_password: password, new_email: root.email }), asMember],
    [400, 'POST', '/confirm-email-change', () => ({ token: 'x' })],
    [202, 'POST', '/forgot-password', () => ({ email: newAddress() })],
    [400, 'POST', '/reset-password', () => ({ token: 'x', new_password: password })],
    [400, 'DELETE', '/account', () => ({ current_password: 'wrong horse battery' }), asMember],
    [409, 'DELETE', '/account', () => ({ current_password: password }), asRoot],
    [401, 'POST', '/logout', () => ({})],
    [200, 'GET', '/authenticators', nothing, asMember],
    [200, 'POST', '/totp/start', nothing, asMember],
    [404, 'POST', '/totp/confirm', () => ({ id: 'none', code: '000000' }), asMember],
    [200, 'POST', '/passkeys/start', nothing, asMember],
    [404, 'POST', '/passkeys/confirm', () => ({ id: 'none', credential: {} }), asMember],
    [422, 'POST', '/passkeys/confirm', () => ({ id: 'none', credential: 'x' }), asMember],
    [404, 'PATCH', '/authenticators/{id}', () => ({ name: 'Key' }), asMember, newAddress],
    [422, 'PATCH', '/authenticators/{id}', () => ({ name: ' ' }), asMember, newAddress],
    [404, 'DELETE', '/authenticators/{id}', nothing, asMember, newAddress],
    [404, 'POST', '/recovery-codes', nothing, asMember],
    [200, 'POST', '/login/passkey/start', nothing],
    [404, 'POST', '/login/passkey', () => ({ id: 'none', credential: {} })],
    [400, 'POST', '/login/mfa-passkey/start', () => ({ mfa_pending_token: 'none' })],
    [400, 'POST', '/login/mfa-confirm', () => ({ mfa_pending_token: 'none', code: '1' })],
    [400, 'POST', '/reauthenticate', () => ({ password: 'wrong horse battery' }), asMember],
    [422, 'POST', '/reauthenticate', () => ({}), asMember],
    [200, 'GET', '/sessions', nothing, asMember],
    [404, 'DELETE', '/sessions/{id}', nothing, asMember, newAddress],
    [401, 'DELETE', '/sessions', nothing],
    [204, 'POST', '/browser-session', nothing, asMember],
    [401, 'POST', '/browser-session', nothing],
    [204, 'DELETE', '/browser-session', nothing],
    [200, 'GET', '/admin/users/{id}/sessions', nothing, asRoot, theMember],
    [404, 'DELETE', '/admin/users/{id}/sessions', nothing, asRoot, () => 'nobody'],
    [404, 'DELETE', '/admin/users/{id}/sessions/{session_id}', nothing, asRoot, () => 'nobody'],
    [200, 'DELETE', '/admin/users/{id}/authenticators', nothing, asRoot, theMember],
    [200, 'GET', '/admin/stats', nothing, asRoot],
    [403, 'GET', '/admin/stats', nothing, asMember],
    [401, 'GET', '/admin/stats', nothing],
    [200, 'GET', '/admin/users', nothing, asRoot],
    [422, 'GET', '/admin/users', nothing, asRoot, () => '?limit=0'],
    [200, 'GET', '/admin/users/{id}', nothing, asRoot, theMember],
    [404, 'GET', '/admin/users/{id}', nothing, asRoot, () => 'nobody'],
    [404, 'GET', '/admin/users/{id}', nothing, asRoot, () => '%zz'],
    [422, 'GET', '/admin/users/{id}', nothing, asRoot, () => 'x'.repeat(300)],
    [200, 'PATCH', '/admin/users/{id}', () => ({ full_name: 'Ada' }), asRoot, theMember],
    [409, 'PATCH', '/admin/users/{id}', () => ({ is_active: false }), asRoot, () => root.id],
    [409, 'DELETE', '/admin/users/{id}', nothing, asRoot, () => root.id],
    [404, 'DELETE', '/admin/users/{id}', nothing, asRoot, () => 'nobody'],
    [409, 'POST', '/admin/users/{id}/resend-verification', nothing, asRoot, theMember],
    [202, 'POST', '/admin/users/{id}/send-reset', nothing, asRoot, theMember],
    [404, 'POST', '/admin/users/{id}/send-reset', nothing, asRoot, () => 'nobody'],
    [200, 'POST', '/admin/users/{id}/unlock', nothing, asRoot, theMember],
    [422, 'POST', '/admin/users/{id}/unlock', () => ({ surprise: 1 }), asRoot, theMember],
    [200, 'GET', '/admin/pending', nothing, asRoot],
    [404, 'POST', '/admin/pending/{email}/promote', nothing, asRoot, newAddress],
    [422, 'POST', '/admin/pending/{email}/promote', nothing, asRoot, () => 'nobody'],
  ];
  test.each(requests)('%i for %s %s', async (status, method, path, body, as, at) => {
    const value = at?.() ?? '';
    const address = value.startsWith('?') ? `${path}${value}` : filled(path, value);
    const reply = await app.rest(method, address, body(), { token: as?.()?.token });
    expect(reply.status, JSON.stringify(reply.body)).toBe(status);
    expectDocumented(method, path, reply);
  });

  test('a body that is no JSON, too large or of another type, of every operation that takes one', async () => {
    const broken: [number, BodyInit, string][] = [
      [400, '{', 'application/json'],
      [413, `"${'x'.repeat(70_000)}"`, 'application/json'],
      [415, 'x=1', 'application/x-www-form-urlencoded'],
    ];
    for (const { method, path } of operations().filter(({ method }) => method !== 'GET')) {
      for (const [status, body, type] of broken) {
        const headers = { 'Content-Type': type, Authorization: `Bearer ${root.token}` };
        const response = await fetch(`${app.url}${filled(path)}`, { method, headers, body });
        expect(response.status, `${method} ${path}`).toBe(status);
        const { headers: answered } = response;
        expectDocumented(method, path, { status, headers: answered, body: await response.json() });
      }
    }
  });

  test('one account from its registration to its end', async () => {
    const email = newAddress();
    const call = async (status: number, method: string, path: string, body?: object, token?: string) => {
      const reply = await app.rest(method, path, body, token === undefined ? {} : { token });
      expect(reply.status, JSON.stringify(reply.body)).toBe(status);
      const pattern = path
        .replace(/\/users\/[\w-]+/, '/users/{id}')
        .replace(/\/pending\/[^/]+/, '/pending/{email}');
      expectDocumented(method, pattern, reply);
      return reply.body;
    };
    const signIn = async () => (await call(200, 'POST', '/login', { email, password })).access_token;

    await call(201, 'POST', '/register', { email, password });
    await call(403, 'POST', '/login', { email, password });
    const verification = tokenOf(await app.nextMail(email));
    const { id } = await call(200, 'POST', '/verify', { token: verification });
    await call(200, 'POST', '/logout', {}, await signIn());
    await call(200, 'POST', '/logout', { everywhere: true }, await signIn());

    await call(202, 'POST', '/forgot-password', { email });
    const reset = tokenOf(await app.nextMail(email));
    await call(200, 'POST', '/reset-password', { token: reset, new_password: 'a new password' });
    const { access_token: token } = await call(200, 'POST', '/login', { email, password: 'a new password' });
    const back = { current_password: 'a new password', new_password: password };
    await call(200, 'POST', '/change-password', back, token);

    const next = newAddress();
    const moving = { current_password: password, new_email: next };
    await call(202, 'POST', '/change-email', moving, await signIn());
    const confirmation = tokenOf(await app.nextMail(next));
    await call(200, 'POST', '/confirm-email-change', { token: confirmation });

    await call(200, 'POST', `/admin/users/${id}/revoke-sessions`, undefined, root.token);
    await app.gatehouse.repositories.users.change(id, { set: { isVerified: false } });
    await call(202, 'POST', `/admin/users/${id}/resend-verification`, undefined, root.token);
    await call(403, 'POST', '/login', { email: next, password });
    await call(200, 'PATCH', `/admin/users/${id}`, { is_active: false }, root.token);
    await call(403, 'POST', '/login', { email: next, password });
    await call(200, 'DELETE', `/admin/users/${id}`, undefined, root.token);

    await call(201, 'POST', '/register', { email, password });
    await call(200, 'POST', `/admin/pending/${email}/promote`, undefined, root.token);
    await call(200, 'DELETE', '/account', { current_password: password }, await signIn());

    for (let i = 0; i < 5; i++) await call(401, 'POST', '/login', { email, password: 'wrong password' });
    await call(429, 'POST', '/login', { email, password });
  });

  test('an account without a password, and one that is locked', async () => {
    const { id, token } = await signUp(app);
    const wrong = { current_password: 'wrong password' };
    for (let i = 0; i < 5; i++) await app.rest('DELETE', '/account', wrong, { token });
    const locked = await app.rest('DELETE', '/account', wrong, { token });
    expect(locked.status).toBe(429);
    expectDocumented('DELETE', '/account', locked);
    await app.gatehouse.repositories.users.change(id, { set: { hashedPassword: null } });
    for (const [method, path, body] of [
      ['POST', '/change-password', { ...wrong, new_password: password }],
      ['POST', '/change-email', { ...wrong, new_email: newAddress() }],
      ['DELETE', '/account', wrong],
    ] as const) {
      const reply = await app.rest(method, path, body, { token });
      expect(reply).toMatchObject({ status: 400, body: { code: 'password_not_set' } });
      expectDocumented(method, path, reply);
    }
  });

  test('the one of a server that takes no registrations, has a limit, or needs no verification', async () => {
    const closed = await startApp({ settings: { allowRegistration: false } });
    const refused = await closed.rest('POST', '/register', { email: newAddress(), password });
    expect(refused.status).toBe(403);
    expectDocumented('POST', '/register', refused);
    await closed.close();

    const open = await startApp({ settings: { requireVerification: false, registerRateLimit: '1/minute' } });
    const made = await open.rest('POST', '/register', { email: newAddress(), password });
    expectDocumented('POST', '/register', made);
    const limited = await open.rest('POST', '/register', { email: newAddress(), password });
    expect(limited.status).toBe(429);
    expectDocumented('POST', '/register', limited);
    await open.close();
  });
});
