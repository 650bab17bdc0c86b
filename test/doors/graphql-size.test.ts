import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, startApp } from '../support/app.ts';
import { codesOf, expectInvalidDocument } from './graphql-replies.ts';

const newType = 'application/graphql-response+json';
let app: App;
let openApp: App;
beforeAll(async () => {
  app = await startApp();
  openApp = await startApp({ settings: { graphqlIntrospection: true, graphqlIde: true } });
});
afterAll(async () => {
  await app?.close();
  await openApp?.close();
});

const features = '{ features { appName } }';
const asNewType = { headers: { Accept: newType } };

const get = (query: string, options = {}) =>
  app.rest('GET', `/graphql?query=${encodeURIComponent(query)}`, undefined, options);

describe('the size of a document', () => {
  const deep = (depth: number) => {
    const inner = depth - 5;
    return `{ __schema { types { fields { type ${'{ ofType '.repeat(inner)}{ name }${' }'.repeat(inner)} } } } }`;
  };

  const aliases = (count: number, of = 'features { appName }') =>
    Array.from({ length: count }, (_, i) => `a${i}: ${of}`).join(' ');

  test('is at most 15 levels', async () => {
    expect((await openApp.graphql(deep(15))).body.errors).toBeUndefined();
    const reply = await openApp.graphql(deep(16));
    expectInvalidDocument(reply);
    expect(reply.body.errors[0].message).toBe('The document is 16 levels deep; 15 are allowed.');
  });

  test('counts the levels that fragments add', async () => {
    // An attacker hides depth in fragments that are shallow one by one.
    const chain = (length: number) =>
      `{ __type(name: "User") { ...F1 } } ${Array.from({ length }, (_, i) => {
        const next = i + 1 < length ? `...F${i + 2}` : 'name';
        return `fragment F${i + 1} on __Type { ofType { ${next} } }`;
      }).join(' ')}`;
    expect((await openApp.graphql(chain(13))).body.errors).toBeUndefined();
    expectInvalidDocument(await openApp.graphql(chain(14)));
  });

  test('is at most 30 aliases', async () => {
    expect((await app.graphql(`{ ${aliases(30)} }`)).body.errors).toBeUndefined();
    const reply = await app.graphql(`{ ${aliases(31)} }`);
    expectInvalidDocument(reply);
    expect(reply.body.errors[0].message).toBe('The document has 31 aliases; 30 are allowed.');
  });

  test('counts the aliases of a fragment each time that it is spread', async () => {
    // An attacker writes ten logins once and spreads them a hundred times.
    const inFragment = (count: number) => `fragment F on Features { ${aliases(count, 'appName')} }`;
    const spread = '{ features { ...F ...F } }';
    expect((await app.graphql(`${spread} ${inFragment(15)}`)).body.errors).toBeUndefined();
    expectInvalidDocument(await app.graphql(`${spread} ${inFragment(16)}`));
    const nested = 'fragment G on Features { ...F ...F } fragment H on Features { ... { ...G } ...G }';
    expectInvalidDocument(await app.graphql(`{ features { ...H } } ${nested} ${inFragment(8)}`));
  });

  test('is at most 50 fragments', async () => {
    // The validator compares each fragment of a selection with every other: 218 took 150 ms.
    const fragments = (count: number) => {
      const names = Array.from({ length: count }, (_, i) => `F${i}`);
      const spread = names.map(name => `...${name}`).join(' ');
      return `{ features { ${spread} } } ${names.map(name => `fragment ${name} on Features { appName }`).join(' ')}`;
    };
    expect((await app.graphql(fragments(50))).body.errors).toBeUndefined();
    const reply = await app.graphql(fragments(51));
    expectInvalidDocument(reply);
    expect(reply.body.errors[0].message).toBe('The document has 51 fragments; 50 are allowed.');
  });

  test('is at most 2,000 tokens', async () => {
    const tokens = (count: number) =>
      `{ features { ${'...F '.repeat((count - 12) / 2)}} } fragment F on Features { appName }`;
    expect((await app.graphql(tokens(2000))).body.errors).toBeUndefined();
    const reply = await app.graphql(tokens(2002));
    expectInvalidDocument(reply);
    expect(reply.body.errors[0].message).toMatch(/more tha[nt] 2000 tokens/);
  });

  test.each([
    ['itself', '{ features { ...A } } fragment A on Features { appName ...A }'],
    ['each other', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
    ['itself inside a field', '{ __type(name: "User") { ...A } } fragment A on __Type { ofType { ...A } }'],
  ])('has an end: fragments that spread %s are refused', async (_, query) => {
    expectInvalidDocument(await openApp.graphql(query));
  });

  test('is measured quickly, also where fragments double it 48 times', async () => {
    // An attacker spreads each fragment twice in the one before: 2^48 fields in 500 tokens.
    const links = Array.from(
      { length: 48 },
      (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`,
    );
    const query = `{ ...F0 } ${links.join(' ')} fragment F48 on Query ${features}`;
    expectInvalidDocument(await app.graphql(query));
    const aliased = query.replaceAll(/\.\.\.F(\d+) \.\.\.F\d+/g, '...F$1 ... { ...F$1 }');
    expectInvalidDocument(await app.graphql(aliased));
  });

  const deepList = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

  const nested: [string, (depth: number) => string][] = [
    ['list literal', depth => `mutation { verify(input: ${deepList(depth)}) { id } }`],
    ['list literal without an end', depth => `mutation { verify(input: ${'['.repeat(depth)}`],
    [
      'object literal',
      depth => `mutation { verify(input: ${'{a:'.repeat(depth)}1${'}'.repeat(depth)}) { id } }`,
    ],
    ['selection', depth => '{a'.repeat(depth) + '}'.repeat(depth)],
    ['inline fragment', depth => `{ ${'...{'.repeat(depth)}features { appName }${'}'.repeat(depth)} }`],
    ['type of a variable', depth => `query ($a: ${'['.repeat(depth)}Int${']'.repeat(depth)}) ${features}`],
    ['default of a variable', depth => `query ($a: Int = ${deepList(depth)}) ${features}`],
    ['argument of a directive', depth => `{ features @skip(if: ${deepList(depth)}) { appName } }`],
    ['directive of a variable', depth => `query ($a: Int @x(y: ${deepList(depth)})) ${features}`],
    ['type definition', depth => `type A { a: ${'['.repeat(depth)}Int${']'.repeat(depth)} }`],
  ];

  test.each(nested)('bounds the nesting of a %s before the parser has to', async (_, make) => {
    // An attacker nests until the stack of a recursive parser, validator or printer overflows.
    for (const depth of [101, 200, 900, 2000, 10_000]) {
      const query = make(depth);
      const replies = [
        await app.graphql(query, undefined, asNewType),
        // No longer address than Node takes.
        await get(query.slice(0, 5000), asNewType),
      ];
      for (const reply of replies) {
        expectInvalidDocument(reply);
        expect(reply.status).toBe(400);
      }
    }
  });

  test('leaves room for nesting that people write, and counts no brackets in texts', async () => {
    expect(
      (await app.graphql(`{ ${'...{'.repeat(95)}features { appName }${'}'.repeat(95)} }`)).body.errors,
    ).toBeUndefined();
    const text = '[{('.repeat(500);
    const query = `mutation { verify(input: {token: "${text}"}) { id } } # ${text}`;
    expect(codesOf(await app.graphql(query))).toEqual(['invalid_token']);
  });

  test('is bounded where fragments follow each other in a long chain', async () => {
    const link = (i: number) => `fragment F${i} on Query { ...F${i + 1} }`;
    const chain = `{ ...F0 } ${Array.from({ length: 49 }, (_, i) => link(i)).join(' ')} fragment F49 on Query ${features}`;
    const { body } = await app.graphql(chain);
    expect(body).toMatchObject({ data: { features: { appName: 'Gatehouse' } } });
  });

  test('is bounded where one field stands a thousand times', async () => {
    expectInvalidDocument(await app.graphql(`{ features { ${'appName '.repeat(1900)}} }`));
  });
});
