import { execute } from '@graphql-tools/executor';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planOf } from '../../src/graphql/plan.ts';
import { type App, type Member, signUp, startApp } from '../support/app.ts';

// What a plan returns is what the executor returns: every document is executed by both.

describe('a planned document', () => {
  let app: App;
  let schema: GraphQLSchema;
  let member: Member;
  let admin: Member;

  beforeAll(async () => {
    app = await startApp({ settings: { enableAdminRouter: true } });
    schema = await app.gatehouse.graphqlSchema();
    [member, admin] = [await signUp(app), await signUp(app)];
    await app.gatehouse.repositories.users.change(admin.id, { set: { isSuperuser: true } });
  });
  afterAll(() => app?.close());

  const contextOf = (token?: string) => ({
    caller: { ip: '192.0.2.1', requestId: 'r1', ...(token && { bearer: token }) },
  });
  const shown = (result: unknown) => JSON.stringify(result);

  async function both(text: string, variables: Record<string, unknown> = {}, token?: string) {
    const document = parse(text);
    expect(validate(schema, document)).toEqual([]);
    const plan = planOf(schema, document);
    if (!plan) throw new Error('There is no plan.');
    const planned = await plan.execute(contextOf(token), variables);
    const contextValue = contextOf(token);
    const executed = await execute({ schema, document, contextValue, variableValues: variables });
    if (!('data' in executed)) throw new Error('The executor has refused it.');
    expect(shown(planned.data)).toBe(shown(executed.data));
    expect(shown(planned.errors?.map(each => each.toJSON()))).toBe(
      shown(executed.errors?.map(each => each.toJSON())),
    );
    const causes = (errors = executed.errors) => errors?.map(({ originalError }) => originalError);
    expect(causes(planned.errors)).toEqual(causes());
    return planned;
  }

  test.each([
    ['a field', '{ me { id email fullName createdAt } }'],
    ['two fields, one of them refused', '{ me { id } adminStats { totalUsers } }'],
    ['aliases', '{ a: me { id mail: email } b: me { id again: id } }'],
    ['selections that are merged', '{ me { id } me { email id } }'],
    ['type names', '{ me { __typename id } }'],
    [
      'fragments',
      '{ me { ...A ... on User { email } ... { isActive } } } fragment A on User { id ...B } fragment B on User { email id }',
    ],
    [
      'a list without items',
      '{ users(first: 1, search: "nobody@nowhere.example") { edges { cursor node { id } } nodes { id } totalCount pageInfo { hasNextPage endCursor startCursor hasPreviousPage } } }',
    ],
    [
      'a list',
      '{ users(first: 2) { edges { cursor node { id email lastLogin } } pageInfo { hasNextPage endCursor } } }',
    ],
    [
      'a list by fragments, aliases and merged selections',
      '{ people: users(first: 2) { ...Page edges { at: cursor } } } fragment Page on UserConnection { edges { node { ...Person } } items: nodes { ...Person mail: email } pageInfo { __typename } } fragment Person on User { id ... on User { isActive } }',
    ],
    [
      'two lists',
      '{ a: users(first: 1) { nodes { id } } b: users(first: 2) { edges { cursor } totalCount } }',
    ],
    ['a cursor that is none', '{ users(after: "x") { totalCount } }'],
    ['an operation with a name', 'query Mine { me { id } }'],
  ])('returns the same for %s', async (_, text) => {
    for (const { token } of [member, admin, { token: undefined }]) await both(text, {}, token);
  });

  test('returns the same for variables, given, left out and null', async () => {
    const text =
      'query Q($id: ID!, $first: Int = 3, $search: String) { user(id: $id) { id } users(first: $first, search: $search) { nodes { id } } }';
    for (const variables of [
      { id: member.id },
      { id: 'x', search: null },
      { id: member.id, first: 1, search: 'a' },
    ])
      await both(text, variables, admin.token);
  });

  test('runs mutations one after another, each with a session check of its own', async () => {
    const { email, password } = member;
    const login = async () =>
      (await app.rest('POST', '/login', { email, password })).body.access_token as string;
    const text =
      'mutation { updateProfile(input: { fullName: "Ada" }) { fullName } logout { message } again: updateProfile(input: { fullName: "Bob" }) { fullName } }';
    const plan = planOf(schema, parse(text))!;
    const { data, errors } = await plan.execute(contextOf(await login()), {});
    expect(JSON.parse(JSON.stringify(data))).toEqual({
      updateProfile: { fullName: 'Ada' },
      logout: { message: expect.any(String) },
      again: null,
    });
    expect(errors?.map(({ path }) => path)).toEqual([['again']]);
  });

  test('is the operation that a request names', () => {
    const named = planOf(schema, parse('query Mine { me { id } }'))!;
    expect([undefined, 'Mine', 'Other'].map(name => named.serves(name))).toEqual([true, true, false]);
  });

  test.each([
    ['directives', 'query Q($a: Boolean!) { me { id @include(if: $a) } }'],
    [
      'a directive on a fragment',
      'query Q($a: Boolean!) { me { ...F @skip(if: $a) } } fragment F on User { id }',
    ],
    ['introspection', '{ __schema { queryType { name } } }'],
    ['a type name of the root', '{ __typename }'],
    ['a union', 'mutation { login(input: { email: "a@example.org", password: "x" }) { __typename } }'],
    ['several operations', 'query A { me { id } } query B { me { id } }'],
  ])('is not made of %s', (_, text) => {
    const document = parse(text);
    expect(validate(schema, document)).toEqual([]);
    expect(planOf(schema, document)).toBeNull();
  });
});
