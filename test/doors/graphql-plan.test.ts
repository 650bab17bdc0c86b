import { type FragmentDefinitionNode, type GraphQLSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { GatehouseError } from '../../src/errors.ts';
import { planOf } from '../../src/graphql/plan.ts';
import { scopes } from '../../src/graphql/scopes.ts';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { execute } from '../support/yoga-executor.ts';

// A plan returns the same as the executor: every document is executed by both.

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

  test('takes variables once, however many fields they reach', async () => {
    let reads = 0;
    const counted = Object.defineProperty({}, 'id', {
      enumerable: true,
      get: () => {
        reads++;
        return member.id;
      },
    });
    const text = 'query Q($id: ID!) { user(id: $id) { id } again: user(id: $id) { id } me { id } }';
    const { data } = await planOf(schema, parse(text))!.execute(contextOf(admin.token), counted);
    expect(data).toMatchObject({ user: { id: member.id }, again: { id: member.id } });
    expect(reads).toBe(1);
  });

  test('starts no field where its variables are invalid or cost too much', async () => {
    const list = 'users(first: $first) { edges { node { id } } nodes { id } }';
    const text = `query Q($first: Int!) { ${Array.from({ length: 20 }, (_, i) => `a${i}: ${list}`).join(' ')} }`;
    const plan = planOf(schema, parse(text))!;
    for (const first of [200, 'x', null, undefined]) {
      const result = await plan.execute(contextOf(admin.token), { first });
      expect(result.errors).not.toHaveLength(0);
      expect(result).not.toHaveProperty('data');
    }
    expect(await plan.execute(contextOf(admin.token), { first: 1 })).not.toHaveProperty('errors');
  });

  test.each([
    ['person', '{ me { id } features { appName } }'],
    ['session', 'mutation { updateProfile(input: { fullName: "Eve" }) { id } }'],
    ['superuser', '{ users(after: "x") { totalCount } }'],
  ] as const)('asks the scope that the executor asks: %s in %s', async (scope, text) => {
    const asked = vi.spyOn(scopes, scope).mockRejectedValue(new GatehouseError('forbidden'));
    try {
      const { errors } = await both(text, {}, admin.token);
      expect(errors).toMatchObject([{ originalError: { code: 'forbidden' } }]);
      expect(asked).toHaveBeenCalledTimes(2);
    } finally {
      asked.mockRestore();
    }
  });

  test('is the same for fragments that are spread again and again', async () => {
    const spreads = (name: string, count: number) => `...${name} `.repeat(count);
    for (const text of [
      `{ ${spreads('Q', 45)} } fragment Q on Query { me { ${spreads('U', 45)} } } fragment U on User { id email }`,
      `{ me { ${spreads('U', 3)} } me { ${spreads('U', 3)} id } } fragment U on User { id ... { ${spreads('V', 2)} } } fragment V on User { mail: email id }`,
      '{ user(id: "x") { ...U ...U } user(id: "x") { ...U } } fragment U on User { id }',
    ]) {
      for (const { token } of [member, admin, { token: undefined }]) await both(text, {}, token);
    }
  });

  test('reads a fragment once for each selection set that spreads it', () => {
    // An attacker has fragments spread fragments: 2.9 million selections in 3.6 kB, which took half a second.
    const names = Array.from({ length: 6 }, (_, i) => `F${i}`);
    const inner = names.map((name, i) => {
      const next = i + 1 < names.length ? `...${names[i + 1]} `.repeat(17) : `${'...{id} '.repeat(97)}`;
      return `fragment ${name} on User { ${next} }`;
    });
    const document = parse(`{ me { ${'...F0 '.repeat(17)} } } ${inner.join(' ')}`);
    expect(validate(schema, document)).toEqual([]);
    let reads = 0;
    const definitions = document.definitions.map(each => {
      const { selectionSet } = each as FragmentDefinitionNode;
      return Object.defineProperty({ ...each }, 'selectionSet', {
        get: () => {
          reads++;
          return selectionSet;
        },
      });
    });
    expect(planOf(schema, { ...document, definitions })).not.toBeNull();
    expect(reads).toBe(1 + names.length);
  });

  test('is not made of a document that visits more selections than any application asks for', () => {
    const lists = Array.from(
      { length: 25 },
      (_, i) => `a${i}: users(first: 1) { nodes { ...U } edges { node { ...U } } }`,
    );
    const fragment = `fragment U on User { ${'...{id} '.repeat(60)} }`;
    const document = parse(`{ ${lists.join(' ')} } ${fragment}`);
    expect(validate(schema, document)).toEqual([]);
    expect(planOf(schema, document)).toBeNull();
  });

  test('returns the same as the executor for a hundred documents made by chance', async () => {
    const chance = pseudoRandom(27);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)]!;
    const fragments = ['A', 'B', 'C', 'D'];
    const user = (depth: number, open: readonly string[]): string =>
      Array.from({ length: 1 + Math.floor(chance() * 5) }, () => {
        const kind = chance();
        if (kind < 0.35 || depth === 0)
          return pick(['id', 'email', 'mail: email', '__typename', 'lastLogin', 'again: id']);
        if (kind < 0.75 && open.length > 0)
          return `...${pick(open)}`.concat(chance() < 0.5 ? ` ...${pick(open)}` : '');
        return `... ${pick(['', 'on User'])} { ${user(depth - 1, open)} }`;
      }).join(' ');
    for (let count = 0; count < 100; count++) {
      const roots = Array.from({ length: 1 + Math.floor(chance() * 3) }, () => {
        const set = `{ ${user(3, fragments)} }`;
        return pick([
          `me ${set}`,
          `other: me ${set}`,
          `users(first: 2) { nodes ${set} edges { cursor node ${set} } }`,
          `users(first: 2) { items: nodes ${set} totalCount }`,
          `user(id: "${member.id}") ${set}`,
          `user(id: "${member.id}") ${set}`,
        ]);
      });
      // Every fragment is used, and spreads those after it, so that none spreads itself.
      const used = `me { ${fragments.map(name => `...${name}`).join(' ')} }`;
      const defined = fragments.map(
        (name, i) => `fragment ${name} on User { ${user(2, fragments.slice(i + 1))} }`,
      );
      const text = `{ ${roots.join(' ')} ${used} } ${defined.join(' ')}`;
      await both(text, {}, pick([member.token, admin.token, undefined]));
    }
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

/** Returns numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
