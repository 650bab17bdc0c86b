import { complexityFromQuery } from '@pothos/plugin-complexity';
import { type GraphQLSchema, getIntrospectionQuery, getOperationAST, parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { costOf } from '../../src/graphql/cost.ts';
import { coerceVariables } from '../../src/graphql/releases.ts';
import { type App, startApp } from '../support/app.ts';

// The cost of a document is the one that the plugin, which declares the costs of fields, would find.

let app: App;
let schema: GraphQLSchema;
beforeAll(async () => {
  app = await startApp({ settings: { enableAdminRouter: true, enableSessionList: true } });
  schema = await app.gatehouse.graphqlSchema();
});
afterAll(() => app?.close());

const list = 'edges { cursor node { id email } } nodes { id } pageInfo { hasNextPage } totalCount';
const paged = `query Q($first: Int, $search: String) { users(first: $first, search: $search) { ${list} } }`;

test.each<[string, string, Record<string, unknown>?]>([
  ['a field', '{ me { id email } }'],
  ['type names', '{ __typename me { __typename } }'],
  ['introspection', getIntrospectionQuery()],
  ['a list of 50', `{ users { ${list} } }`],
  ['a list of a given length', `{ users(first: 7) { ${list} } }`],
  ['a length in a variable', paged, { first: 3 }],
  ['a variable that is left out', paged],
  ['a variable that is null', paged, { first: null }],
  ['a length below all', paged, { first: -5 }],
  ['a length above all', paged, { first: 5000 }],
  ['the default of a variable', `query Q($first: Int = 4) { users(first: $first) { ${list} } }`],
  ['a list that is no connection', '{ sessions { items { createdAt } } }'],
  [
    'a union',
    'mutation { login(input: { email: "a@example.org", password: "x" }) { __typename ... on Session { accessToken } ... on MfaChallenge { ...M } } } fragment M on MfaChallenge { methods }',
  ],
  [
    'fragments in fragments, spread twice',
    `query Q($first: Int) { ...R ...R other: users(first: 2) { ...P } } fragment R on Query { users(first: $first) { ...P ... { ...P } } } fragment P on UserConnection { nodes { ...U } } fragment U on User { id ... on User { email } }`,
    { first: 6 },
  ],
  ['directives', 'query Q($a: Boolean!) { me { id @skip(if: $a) email @include(if: $a) } }', { a: true }],
])('is the same for %s', (_, text, variables = {}) => {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const operation = getOperationAST(document)!;
  const options = { maxErrors: 1, hideSuggestions: true };
  const { variableValues } = coerceVariables(schema, operation, variables, options);
  const { complexity } = complexityFromQuery(document, { schema, variables });
  expect(costOf(schema, document, operation, variableValues)).toBe(complexity);
});

test('of a fragment is found once, however often it is spread', () => {
  // An attacker doubles the work with each fragment: 2 to the power of 40 selections.
  const length = 40;
  const chain = Array.from({ length }, (_, i) => {
    const next = i + 1 < length ? `...F${i + 1} ...F${i + 1}` : 'id';
    return `fragment F${i} on User { ${next} }`;
  });
  const document = parse(`{ me { ...F0 } } ${chain.join(' ')}`);
  expect(costOf(schema, document, getOperationAST(document)!, undefined)).toBe(1 + 2 ** (length - 1));
});
