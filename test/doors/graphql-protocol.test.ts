import { buildClientSchema, getIntrospectionQuery, printSchema } from 'graphql';
import { type Audit, serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type App, jwtSecret, type Member, signUp, startApp } from '../support/app.ts';
import { newAddress } from '../support/people.ts';
import { codesOf, expectInvalidDocument } from './graphql-replies.ts';

const newType = 'application/graphql-response+json';
let app: App;
let openApp: App;
let member: Member;
beforeAll(async () => {
  app = await startApp();
  openApp = await startApp({ settings: { graphqlIntrospection: true, graphqlIde: true } });
  member = await signUp(app);
});
afterAll(async () => {
  await app?.close();
  await openApp?.close();
});

const features = '{ features { appName } }';
const asNewType = { headers: { Accept: newType } };

const get = (query: string, options = {}) =>
  app.rest('GET', `/graphql?query=${encodeURIComponent(query)}`, undefined, options);

describe('GraphQL over HTTP', () => {
  // The audits need introspection to ask for something that every server has.
  const audits = serverAudits({ url: () => `${openApp.url}/graphql` });

  const level = (word: string) =>
    audits.filter(({ name }) => name.startsWith(word)).map(audit => [audit.name, audit] as [string, Audit]);

  test('has an audit of more than 50 rules', () => {
    expect(audits.length).toBeGreaterThan(50);
    expect(level('MUST').length).toBeGreaterThan(10);
  });

  test.each([...level('MUST'), ...level('SHOULD')])('%s', async (_, { fn }) => {
    expect(await fn()).toMatchObject({ status: 'ok' });
  });

  test('answers 200 to a document that executes, whatever its fields say', async () => {
    for (const options of [{}, asNewType]) {
      const reply = await app.graphql(`{ me { id } features { appName } }`, {}, options);
      expect(reply.status).toBe(200);
      expect(reply.body.data).toEqual({ me: null, features: { appName: 'Gatehouse' } });
      expect(reply.body.errors).toEqual([
        {
          message: 'No session token was sent.',
          path: ['me'],
          locations: [expect.any(Object)],
          extensions: { code: 'unauthenticated', status: 401 },
        },
      ]);
    }
  });

  test.each([
    ['does not parse', '{ features {'],
    ['does not fit the schema', '{ nothing }'],
    ['is not there', undefined],
    ['is empty', ''],
    ['asks for a subscription', 'subscription { x }'],
  ])('refuses a document that %s: 400, or 200 for clients of the old type', async (_, query) => {
    const reply = await app.graphql(query as string, undefined, asNewType);
    expect(reply.status).toBe(400);
    expect(reply.headers.get('Content-Type')).toBe(`${newType}; charset=utf-8`);
    expectInvalidDocument(reply);
    expect(reply.body.errors[0].extensions.status).toBe(400);

    const old = await app.graphql(query as string);
    expect(old.status).toBe(200);
    expect(old.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expectInvalidDocument(old);
  });

  test('takes one of several operations by its name', async () => {
    const query = `query A ${features} mutation B { logout { message } }`;
    const body = { query, operationName: 'A' };
    expect((await app.rest('POST', '/graphql', body)).body).toEqual({
      data: { features: { appName: 'Gatehouse' } },
    });
    for (const unclear of [{ query }, { query, operationName: 'C' }]) {
      expectInvalidDocument(await app.rest('POST', '/graphql', unclear));
    }
  });

  test('answers a query by GET', async () => {
    expect((await get(features)).body).toEqual({ data: { features: { appName: 'Gatehouse' } } });
    expect((await get('{ me { email } }', { token: member.token })).body.data.me.email).toBe(member.email);
  });

  test('changes nothing by GET', async () => {
    // An attacker makes a browser load an address; a scanner follows every link.
    const { token } = member;
    const named = `query A ${features} mutation B { logout { message } }`;
    for (const path of [
      `/graphql?query=${encodeURIComponent('mutation { logout { message } }')}`,
      `/graphql?query=${encodeURIComponent(named)}&operationName=B`,
    ]) {
      const reply = await app.rest('GET', path, undefined, { token });
      expect(reply.status).toBe(405);
      expect(reply.headers.get('Allow')).toBe('POST');
      expect(codesOf(reply)).toEqual(['method_not_allowed']);
    }
    expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('has no method %s', async method => {
    const { status, headers } = await app.rest(method, '/graphql');
    expect(status).toBe(405);
    expect(headers.get('Allow')).toBe('GET, POST');
  });

  test('takes no batch of documents', async () => {
    // An attacker sends a thousand logins as one request.
    const reply = await app.rest('POST', '/graphql', [{ query: features }, { query: features }]);
    expect(reply.status).toBe(400);
    expectInvalidDocument(reply);
  });

  test('takes JSON and no form, because a browser sends forms to anywhere without asking', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const reply = await app.rest(
        'POST',
        '/graphql',
        { query: features },
        { headers: { 'Content-Type': type } },
      );
      expect(reply.status).toBe(415);
      expect(codesOf(reply)).toEqual(['unsupported_media_type']);
    }
  });

  test('takes no body over 64 KiB', async () => {
    const reply = await app.graphql(`#${'x'.repeat(64 * 1024)}\n${features}`, {}, asNewType);
    expect(reply.status).toBe(413);
    expect(reply.headers.get('Content-Type')).toBe(`${newType}; charset=utf-8`);
    expect(codesOf(reply)).toEqual(['body_too_large']);
  });

  test.each([
    ['no JSON', '{"query":', 'bad_json'],
    ['deeply nested variables', `{"variables":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`, 'bad_json'],
    ['null', 'null', 'invalid_document'],
    ['a number', '5', 'invalid_document'],
    ['a query that is no text', '{"query":{"$ne":null}}', 'invalid_document'],
    ['variables that are no object', `{"query":"${features}","variables":"x"}`, 'invalid_document'],
  ])('refuses a body of %s', async (_, body, code) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${app.url}/graphql`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect((await response.json()).errors[0].extensions).toEqual({ code, status: 400 });
  });

  test.each(['variables', 'extensions'])('refuses an address whose %s are no JSON', async name => {
    // A stranger must not fill the log with errors that need no attention.
    const reply = await app.rest('GET', `/graphql?query=${encodeURIComponent(features)}&${name}=%7B`);
    expect(reply.status).toBe(400);
    expect(codesOf(reply)).toEqual(['bad_json']);
  });

  test('is never stored', async () => {
    for (const reply of [await app.graphql(features), await app.graphql('{'), await get(features)]) {
      expect(reply.headers.get('Cache-Control')).toBe('no-store');
      expect(reply.headers.get('X-Content-Type-Options')).toBe('nosniff');
    }
  });
});

describe('the schema', () => {
  const ask = getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    inputValueDeprecation: true,
  });

  test('is told to those who ask for it where introspection is on', async () => {
    const { body } = await openApp.graphql(ask);
    const schema = printSchema(buildClientSchema(body.data));
    expect(schema).toBe(printSchema(await openApp.gatehouse.graphqlSchema()));
  });

  test.each([
    ['the standard query', ask],
    ['a type', '{ __type(name: "User") { fields { name } } }'],
    ['a fragment', '{ ...F } fragment F on Query { __schema { types { name } } }'],
  ])('is told to nobody where introspection is off: %s', async (_, query) => {
    expectInvalidDocument(await app.graphql(query));
    expect((await app.graphql('{ __typename features { __typename } }')).body.data).toEqual({
      __typename: 'Query',
      features: { __typename: 'Features' },
    });
  });

  test.each([
    ['field', '{ feature { appName } }', {}],
    ['inner field', '{ features { appNam } }', {}],
    ['argument', 'mutation { verify(inputt: {token: "x"}) { id } }', {}],
    ['input field', 'mutation { verify(input: {tokem: "x", token: "x"}) { id } }', {}],
    ['type', '{ features { ... on Feature { appName } } }', {}],
    [
      'variable',
      'mutation ($i: VerifyInput!) { verify(input: $i) { id } }',
      { i: { tokem: 'x', token: 'x' } },
    ],
  ])('is not given away word by word: a mistyped %s gets no suggestion', async (_, query, variables) => {
    // An attacker who may not read the schema guesses names and lets the server complete them.
    const closed = await app.graphql(query, variables);
    expectInvalidDocument(closed);
    expect(JSON.stringify(closed.body)).not.toMatch(/did you mean/i);
    expect(JSON.stringify((await openApp.graphql(query, variables)).body)).toMatch(/did you mean/i);
  });
});

describe('a document of several fields', () => {
  test('is checked field by field: after logout the next change is refused', async () => {
    const { token } = await signUp(app);
    const query = `mutation { logout { message } updateProfile(input: { fullName: "Eve" }) { fullName } }`;
    const { body } = await app.graphql(query, {}, { token });
    expect(body.data).toEqual({ logout: { message: 'Signed out.' }, updateProfile: null });
    expect(body.errors).toMatchObject([
      { path: ['updateProfile'], extensions: { code: 'unauthenticated', status: 401 } },
    ]);
  });

  test('of ten aliased logins is ten logins', async () => {
    // An attacker puts many guesses into one request, so that they count as one.
    const { email, password } = await signUp(app);
    const seen: unknown[] = [];
    const stop = app.gatehouse.on('user_logged_in', event => seen.push(event));
    const login = `login(input: { email: "${email}", password: "${password}" }) { ... on Session { accessToken } }`;
    const { body } = await app.graphql(
      `mutation { ${Array.from({ length: 10 }, (_, i) => `a${i}: ${login}`).join(' ')} }`,
    );
    stop();
    const tokens = Object.values<{ accessToken: string }>(body.data).map(session => session.accessToken);
    expect(new Set(tokens).size).toBe(10);
    expect(seen).toHaveLength(10);
  });
});

test('an unforeseen error is masked, and found in the log under the id that the answer names', async () => {
  const failure = new Error(`a failure that names /etc/gatehouse and ${jwtSecret}`);
  const broken = vi.spyOn(app.clock, 'now').mockImplementation(() => {
    throw failure;
  });
  const { status, body } = await app.graphql('{ me { id } }', {}, { token: member.token });
  broken.mockRestore();
  expect(status).toBe(200);
  expect(body.errors).toEqual([
    {
      message: expect.stringMatching(/request id [0-9a-f-]{36}\.$/),
      path: ['me'],
      locations: [expect.any(Object)],
      extensions: { code: 'internal_error', status: 500 },
    },
  ]);
  const [id] = /[0-9a-f-]{36}/.exec(body.errors[0].message) ?? [];
  expect(app.logs.findLast(({ level }) => level === 'error')?.fields).toEqual({
    err: failure,
    request_id: id,
  });
});

describe('the page of the IDE', () => {
  const asBrowser = { headers: { Accept: 'text/html' } };

  test('is there where it is on, and works without another host', async () => {
    const { status, headers, body } = await openApp.rest('GET', '/graphql', undefined, asBrowser);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(body).toContain('Gatehouse GraphiQL');
    expect(body).not.toMatch(/(src|href)="https?:/);
  });

  test('is not there where it is off', async () => {
    const { status, body } = await app.rest('GET', '/graphql', undefined, asBrowser);
    expect(status).toBe(406);
    expect(body).not.toContain('<');
  });
});

test('is not mounted where GraphQL is off', async () => {
  const restOnly = await startApp({ settings: { enableGraphql: false } });
  for (const method of ['GET', 'POST']) {
    expect((await restOnly.rest(method, '/graphql')).body).toBe('not known to the host');
  }
  expect((await restOnly.rest('POST', '/login', { email: newAddress(), password: 'x' })).status).toBe(401);
  await restOnly.close();
});
