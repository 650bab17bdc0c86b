import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectInvalidDocument } from '../../doors/graphql-replies.ts';
import { type App, type Member, type Reply, signUp, startApp } from '../../support/app.ts';
import { signUpSuperuser } from '../../support/people.ts';
import { manifestOf, sha256 } from './manifests.ts';

// Where a manifest is configured, GraphQL executes its documents and those of the bundled pages, and nothing else.

const me = 'query Me { me { id email } }';
const rename = 'mutation Rename($input: UpdateProfileInput!) { updateProfile(input: $input) { fullName } }';
const signIn = 'mutation SignIn($input: LoginInput!) { login(input: $input) { __typename } }';
const several = 'query One { me { id } } query Two { me { email } }';
const list = `query List($n: Int!) { ${Array.from({ length: 25 }, (_, i) => `u${i}: users(first: $n) { edges { node { id email } } }`).join(' ')} }`;

let app: App;
let open: App;
let member: Member;
beforeAll(async () => {
  const graphqlTrustedDocuments = await manifestOf(me, rename, signIn, several, list);
  app = await startApp({
    settings: { graphqlTrustedDocuments, enableAdminRouter: true, loginRateLimit: '3/hour' },
  });
  open = await startApp({
    settings: { graphqlTrustedDocuments, graphqlIntrospection: true, enableAdminRouter: true },
  });
  member = await signUp(app);
});
afterAll(async () => {
  await app?.close();
  await open?.close();
});

const post = (body: unknown, options: object = { token: member.token }, of = app) =>
  of.rest('POST', '/graphql', body, options);
const get = (query: Record<string, string> | string[][], of = app) =>
  of.rest('GET', `/graphql?${new URLSearchParams(query as string[][])}`, undefined, { token: member.token });
const persisted = (sha256Hash: unknown) => ({ persistedQuery: { version: 1, sha256Hash } });

describe('a trusted document', () => {
  test.each<[string, object]>([
    ['its id', { documentId: sha256(me) }],
    ['its id with the name of the hash', { documentId: `sha256:${sha256(me)}` }],
    ['its id in capitals', { documentId: sha256(me).toUpperCase() }],
    ['the extension of Apollo', { extensions: persisted(sha256(me)) }],
    ['the extension, with the same text', { query: me, extensions: persisted(sha256(me)) }],
    ['both', { documentId: sha256(me), extensions: persisted(sha256(me)) }],
  ])('is executed by %s, the first time and later', async (_, body) => {
    for (const _time of [1, 2]) {
      const { status, body: answer } = await post(body);
      expect([status, answer]).toEqual([200, { data: { me: { id: member.id, email: member.email } } }]);
    }
  });

  test('gets variables and the name of its operation', async () => {
    const renamed = await post({ documentId: sha256(rename), variables: { input: { fullName: 'Ada' } } });
    expect(renamed.body.data).toEqual({ updateProfile: { fullName: 'Ada' } });
    const second = await post({ documentId: sha256(several), operationName: 'Two' });
    expect(second.body.data).toEqual({ me: { email: member.email } });
  });

  test('is read with GET, where a mutation stays refused', async () => {
    const expected = { me: { id: member.id, email: member.email } };
    expect((await get({ documentId: sha256(me) })).body.data).toEqual(expected);
    expect((await get({ extensions: JSON.stringify(persisted(sha256(me))) })).body.data).toEqual(expected);
    const changed = await get({
      documentId: sha256(rename),
      variables: JSON.stringify({ input: { fullName: 'Eve' } }),
    });
    expect([changed.status, changed.headers.get('Allow')]).toEqual([405, 'POST']);
  });

  test('stays within the limits', async () => {
    const { token } = await signUpSuperuser(app);
    const few = await post({ documentId: sha256(list), variables: { n: 1 } }, { token });
    expect(few.body.data).toBeDefined();
    expectInvalidDocument(await post({ documentId: sha256(list), variables: { n: 200 } }, { token }));
    const wrong = { input: { email: 'nobody@example.org', password: 'wrong password' } };
    const answers: Reply[] = [];
    for (let i = 0; i < 4; i++)
      answers.push(await post({ documentId: sha256(signIn), variables: wrong }, {}));
    expect(answers.at(-1)!.body.errors[0].extensions).toMatchObject({ code: 'rate_limited', status: 429 });
  });

  test('is served to a host of the Fetch standard, too', async () => {
    const ask = async (body: object) => {
      const request = new Request(`${app.origin}/api/auth/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${member.token}` },
        body: JSON.stringify(body),
      });
      return (await (await app.gatehouse.fetch(request)).json()) as Record<string, unknown>;
    };
    expect(await ask({ documentId: sha256(me) })).toMatchObject({ data: { me: { id: member.id } } });
    expect(await ask({ query: me })).not.toHaveProperty('data');
  });
});

describe('anything else is refused, and nothing of it is executed', () => {
  const eve = { input: { fullName: 'Eve' } };
  const other = 'mutation Other($input: UpdateProfileInput!) { updateProfile(input: $input) { id } }';

  test.each<[string, object]>([
    ['another document', { query: other, variables: eve }],
    ['a document of the manifest that is not named', { query: rename, variables: eve }],
    ['an id of nothing', { documentId: sha256(other), variables: eve }],
    ['an id of nothing, with a text', { documentId: sha256(other), query: other, variables: eve }],
    ['the id of another document', { documentId: sha256(me), query: other, variables: eve }],
    ['an id that is no text', { documentId: [sha256(rename)], variables: eve }],
    ['an empty id', { documentId: '', query: other, variables: eve }],
    ['an extension of nothing', { query: other, variables: eve, extensions: persisted(sha256(other)) }],
    ['an extension without a hash', { query: other, variables: eve, extensions: { persistedQuery: {} } }],
    ['an extension that is no object', { query: other, variables: eve, extensions: { persistedQuery: 1 } }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
    [
      'a list of calls',
      [
        { documentId: sha256(rename), variables: eve },
        { query: other, variables: eve },
      ],
    ],
    ['nothing', {}],
    ['a name of every object', { documentId: '__proto__', variables: eve }],
  ])('%s', async (_, body) => {
    for (const headers of [{}, { Accept: 'application/graphql-response+json' }]) {
      const reply = await post(body, { token: member.token, headers });
      expect(reply.status).toBe(400);
      expectInvalidDocument(reply);
    }
    const { body: now } = await app.rest('GET', '/me', undefined, member);
    expect(now.full_name).not.toBe('Eve');
  });

  test.each<[string, string[][]]>([
    ['another document', [['query', '{ me { lastLogin } }']]],
    ['an id of nothing', [['documentId', sha256(other)]]],
    [
      'two documents, of which one is named',
      [
        ['query', '{ me { lastLogin } }'],
        ['query', me],
        ['documentId', sha256(me)],
      ],
    ],
  ])('%s with GET', async (_, query) => {
    const reply = await get(query);
    expect(reply.status).toBe(400);
    expectInvalidDocument(reply);
  });

  test('nothing with GET', async () => {
    expectInvalidDocument(await get([]));
  });

  test('a document beside the one that is named is not executed', async () => {
    const { body } = await get([
      ['documentId', sha256(me)],
      ['documentId', sha256(other)],
      ['variables', '{}'],
    ]);
    expect(body).toEqual({ data: { me: { id: member.id, email: member.email } } });
    const posted = await app.rest(
      'POST',
      `/graphql?${new URLSearchParams({ query: '{ me { lastLogin } }' })}`,
      { documentId: sha256(me) },
      member,
    );
    expect(posted.body).toEqual({ data: { me: { id: member.id, email: member.email } } });
  });
});

describe('with introspection on', () => {
  test('the schema can be read', async () => {
    const { body } = await post({ query: '{ __schema { queryType { name } } __typename }' }, {}, open);
    expect(body.data).toEqual({ __schema: { queryType: { name: 'Query' } }, __typename: 'Query' });
  });

  test.each([
    ['a field beside it', '{ __typename features { appName } }'],
    ['a fragment beside it', '{ ...F } fragment F on Query { features { appName } }'],
    ['an inline fragment beside it', '{ ... { features { appName } } }'],
    ['another operation beside it', 'query A { __typename } mutation B { logout { message } }'],
    ['something that does not parse', '{ __schema {'],
  ])('%s is refused', async (_, query) => {
    const reply = await post({ query }, {}, open);
    expect(reply.status).toBe(400);
    expectInvalidDocument(reply);
  });
});
