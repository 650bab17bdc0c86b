import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { signUpSuperuser } from '../support/people.ts';

/** A document takes the long way the first time and the short way from then on; a client sees no difference. */
describe('a document that was served before', () => {
  let app: App;
  let member: Member;
  let admin: Member;
  beforeAll(async () => {
    app = await startApp({ settings: { enableAdminRouter: true } });
    member = await signUp(app);
    admin = await signUpSuperuser(app);
  });
  afterAll(() => app?.close());

  /** What can be compared of an answer: all but the time and the connection. */
  async function ask(body: unknown, { token, accept }: { token?: string; accept?: string } = {}) {
    const {
      status,
      headers,
      body: answer,
    } = await app.rest('POST', '/graphql', body, {
      token,
      headers: accept ? { Accept: accept } : {},
    });
    const { date, connection, 'keep-alive': _, 'content-length': __, ...rest } = Object.fromEntries(headers);
    return { status, headers: rest, answer };
  }

  const me = '{ me { id email isMfaEnabled } }';
  const user = 'query User($id: ID!) { user(id: $id) { id } }';
  const types = [
    '*/*',
    'application/json',
    'application/graphql-response+json',
    'application/json, text/plain, */*',
    'application/graphql-response+json, application/json;q=0.9',
    'text/html',
  ];

  test.each(types)('is answered the same for a client that accepts %s', async accept => {
    const query = `query Asked { me { id email } } # ${accept}`;
    const first = await ask({ query }, { token: member.token, accept });
    expect(await ask({ query }, { token: member.token, accept })).toEqual(first);
  });

  test.each<[string, object, boolean]>([
    ['without a session', { query: me }, false],
    ['by somebody who may not', { query: '{ adminStats { totalUsers } }' }, true],
    ['with variables', { query: user, variables: { id: 'x' } }, true],
    ['with variables that are missing', { query: user }, true],
    ['with variables that don’t fit', { query: user, variables: { id: {} } }, true],
    ['with variables that are a list', { query: user, variables: [] }, true],
    ['by a name that it does not have', { query: me, operationName: 'Other' }, true],
    ['with something else in the body', { query: me, extra: 1 }, true],
    ['with extensions', { query: me, extensions: { a: 1 } }, true],
    [
      'that fails with a list of input errors',
      { query: 'mutation { updateProfile(input: {fullName: "\\u0007"}) { id } }' },
      true,
    ],
  ])('is answered the same %s', async (_, body, signedIn) => {
    const { query } = body as { query: string };
    await ask({ query, variables: { id: member.id } }, { token: member.token });
    const token = signedIn ? member.token : undefined;
    const first = await ask({ ...body, query: `${query} ` }, { token });
    expect(await ask(body, { token })).toEqual({
      ...first,
      answer: JSON.parse(JSON.stringify(first.answer)),
    });
  });

  test.each([
    ['fragments and aliases', '...Page people: nodes { ...Person mail: email }'],
    ['directives', 'totalCount @skip(if: $short) edges { cursor @include(if: $short) node { ...Person } }'],
    ['directives on fragments', '...Page @include(if: $short) nodes { ... @skip(if: $short) { ...Person } }'],
  ])('is answered with the same text for a list with %s', async (_, selected) => {
    const fragments = `fragment Page on UserConnection { totalCount pageInfo { hasNextPage endCursor } edges { cursor } }
      fragment Person on User { __typename id isActive lastLogin @skip(if: $short) }`;
    const all = selected.includes('Page') ? fragments : fragments.replace(/.*\n/, '');
    const query = `query List($short: Boolean!, $first: Int) { users(first: $first) { ${selected} } } ${all}`;
    for (const variables of [
      { short: true, first: 1 },
      { short: false },
      { short: false, first: 0 },
      { short: null },
    ]) {
      const body = { query, variables };
      // Another text, so that it is served as if for the first time.
      const first = await ask({ ...body, query: `${query} # ${JSON.stringify(variables)}` }, admin);
      await ask({ query, variables: { short: true } }, admin);
      const again = await ask(body, admin);
      expect(JSON.stringify(again)).toBe(JSON.stringify(first));
    }
  });

  test('is refused as before where its variables cost too much', async () => {
    const query = `query Costly($n: Int!) { ${Array.from({ length: 25 }, (_, i) => `u${i}: users(first: $n) { edges { node { id email } } }`).join(' ')} }`;
    const cheap = await ask({ query, variables: { n: 1 } }, { token: member.token });
    expect(cheap.status).toBe(200);
    const costly = await ask({ query, variables: { n: 200 } }, { token: member.token });
    expect(costly.answer.errors[0].extensions.code).toBe('invalid_document');
  });

  test('carries Retry-After as before', async () => {
    const limited = await startApp({ settings: { loginRateLimit: '1/minute' } });
    const query =
      'mutation { login(input: {email: "a@example.org", password: "wrong wrong"}) { __typename } }';
    const login = () => limited.graphql(query);
    await login();
    const [second, third] = [await login(), await login()];
    await limited.close();
    for (const { status, headers, body } of [second, third]) {
      expect(status).toBe(200);
      expect(body.errors[0].extensions.code).toBe('rate_limited');
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
      expect(body.errors[0].extensions).not.toHaveProperty('http');
    }
  });

  test('is refused with variables that are nested too deeply, as before', async () => {
    const variables = JSON.parse(`{"id":"x","other":${'['.repeat(2000)}${']'.repeat(2000)}}`);
    const query = `query Nested($id: ID!) { user(id: $id) { id } }`;
    const first = await ask({ query, variables }, admin);
    expect(first.status).toBe(400);
    await ask({ query, variables: { id: 'x' } }, admin);
    expect(await ask({ query, variables }, admin)).toEqual(first);
  });
});
