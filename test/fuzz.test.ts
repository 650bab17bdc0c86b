import {
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { expect, test } from 'vitest';
import { type App, dataEncryptionKey, type Member, signUp, startApp } from './support/app.ts';
import { describeEachBackend } from './support/backends.ts';
import { unheardWebhook } from './support/webhooks.ts';

// Random requests, made from the two descriptions of the API. A failure names its seed: put it into
// FUZZ_SEED to see the same run again.

const seed = Number(process.env.FUZZ_SEED) || 20_400_102;
/** How long an answer may take before it counts as none, in milliseconds. */
const patienceMs = 15_000;

type Random = ReturnType<typeof createRandom>;

/** Mulberry32: the same numbers for the same seed. */
function createRandom(state: number) {
  let a = state;
  const next = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    below: (n: number) => Math.floor(next() * n),
    chance: (p: number) => next() < p,
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!,
  };
}

const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
const hostileTexts = [
  ...['', ' ', '\0', 'a\0b', '\ud800', 'x\udfff', '\u202egnp.exe', 'ﬀ', 'İ', '\u212a', '🐈'.repeat(50)],
  ...[
    "' or 1=1 --",
    '$ne',
    '{"$gt":""}',
    '../../etc/passwd',
    '%00',

    '{{7*7}}',
    '<script>',
    '?',
    '??',
  ],
  ...['__proto__', 'constructor', 'null', 'undefined', 'NaN', '-1', '1e400', 'a@b', "o'x@example.org"],
  ...['x'.repeat(300), 'x'.repeat(5000), 'a@'.repeat(2000), '٣', '\r\nSet-Cookie: a=b', '\u0000\u0001\u001f'],
];
const hostileValues = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], { $ne: null }, { $gt: '' }, ['x']],
  ...[{ toString: 'x' }, { length: 5 }, nested(50), JSON.parse('{"__proto__":{"is_superuser":true}}')],
];

interface Secrets {
  texts: Set<string>;
}

// biome-ignore lint/suspicious/noExplicitAny: the document is read as it comes
type Json = any;

/** A value for a field: often a fitting one, else one that its author hopes breaks something. */
function valueFor(random: Random, name: string, known: Record<string, unknown[]>): unknown {
  const fitting = known[name];
  if (fitting && random.chance(0.5)) return random.pick(fitting);
  return random.chance(0.6) ? random.pick(hostileTexts) : random.pick(hostileValues);
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function headersFor(random: Random, tokens: string[]): Record<string, string> {
  const token = random.pick(tokens);
  const authorization = random.pick([
    ...[`Bearer ${token}`, `Bearer ${token}`, `Bearer ${token}`, `bearer   ${token}`, `Bearer ${token}x`],
    ...[
      'Bearer',
      'Bearer ',
      `Basic ${token}`,
      `Bearer ${token}, Bearer ${token}`,
      'Bearer ..',
      'Bearer a.b.c',
    ],
    ...[`Bearer ${'a'.repeat(4000)}`, 'Bearer eyJhbGciOiJub25lIn0.e30.', '\xff\xfe'],
  ]);
  return {
    ...(random.chance(0.8) && { Authorization: authorization }),
    ...(random.chance(0.2) && { 'X-Forwarded-For': random.pick(['127.0.0.1', 'x'.repeat(500), '::1, ::2']) }),
    ...(random.chance(0.2) && { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' }),
    ...(random.chance(0.1) && { Forwarded: 'host=evil.example;for="[::1]"' }),
    ...(random.chance(0.1) && { 'X-HTTP-Method-Override': 'DELETE' }),
    ...(random.chance(0.1) && { Origin: random.pick(['null', 'https://evil.example']) }),
    ...(random.chance(0.1) && { Accept: random.pick(['text/html', '*/*;q=0', 'x'.repeat(2000)]) }),
  };
}

async function send(app: App, path: string, init: RequestInit) {
  const response = await fetch(`${app.url}${path}`, { ...init, signal: AbortSignal.timeout(patienceMs) });
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
}

/** In characters: ten parameters of it, encoded, are a request line that Node takes. */
const longestParameter = 500;

async function fuzzRest(
  app: App,
  random: Random,
  rounds: number,
  tokens: string[],
  known: Record<string, unknown[]>,
) {
  const document: Json = (await app.rest('GET', '/openapi.json')).body;
  const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  for (let round = 0; round < rounds; round++) {
    const { path, method, operation } = operations[round % operations.length]!;
    const inPath = path.replace(/\{(\w+)\}/g, (_, name) => {
      const value = asText(valueFor(random, name, known));
      return encodeURIComponent(value.isWellFormed() ? value : 'x') || 'x';
    });
    const query = new URLSearchParams();
    for (const { in: place, name } of operation.parameters ?? []) {
      // Node itself refuses a request line of more than 16 KiB (431).
      if (place === 'query' && random.chance(0.5))
        query.append(name, asText(valueFor(random, name, known)).slice(0, longestParameter));
      if (place === 'query' && random.chance(0.05)) query.append(name, 'again');
    }
    const schema = operation.requestBody?.content['application/json'].schema;
    const fields = Object.keys(schema?.properties ?? {});
    const given: [string, unknown][] = fields
      .filter(() => random.chance(0.9))
      .map(name => [name, valueFor(random, name, known)]);
    if (random.chance(0.05)) given.push([random.pick(hostileTexts), random.pick(hostileValues)]);
    const whole = random.chance(0.05)
      ? random.pick([...hostileValues, ...hostileTexts])
      : Object.fromEntries(given);
    let body = random.chance(0.1) && fields.length === 0 ? undefined : JSON.stringify(whole);
    if (body && random.chance(0.03)) body = body.slice(0, random.below(body.length));
    const type = random.chance(0.97)
      ? 'application/json'
      : random.pick(['text/plain', 'application/json;charset=utf-7']);
    const headers = { ...headersFor(random, tokens), 'Content-Type': type };
    const request = `${method} ${inPath}?${query} ${body?.slice(0, 300)}`;
    const reply = await send(app, `${inPath}?${query}`, {
      method,
      headers,
      body: method === 'GET' ? undefined : body,
      redirect: 'manual',
    });
    expect(reply.status, `seed ${seed}: ${request}: ${JSON.stringify(reply.body)}`).toBeLessThan(500);
    const documented = operation.responses[reply.status];
    expect(documented, `seed ${seed}: ${request} answered ${reply.status}`).toBeDefined();
    if (reply.status >= 400) {
      const codes = Object.keys(documented.content['application/problem+json'].examples);
      expect(codes, `seed ${seed}: ${request}`).toContain(reply.body.code);
    }
    expect(JSON.stringify(reply.body)).not.toContain('evil.example');
  }
}

/** A document with a random selection, and variables that may or may not fit. */
function createDocument(random: Random, schema: GraphQLSchema, known: Record<string, unknown[]>) {
  const root = random.chance(0.5) ? schema.getQueryType()! : schema.getMutationType()!;
  const declared: string[] = [];
  const variables: Record<string, unknown> = {};

  function input(type: GraphQLInputType, name: string): unknown {
    const named = getNamedType(type);
    if (!isInputObjectType(named))
      return valueFor(
        random,
        name.replace(/[A-Z]/g, c => `_${c.toLowerCase()}`),
        known,
      );
    if (random.chance(0.1)) return random.pick(hostileValues);
    const fields = Object.entries(named.getFields()).filter(() => random.chance(0.95));
    return Object.fromEntries(fields.map(([key, field]) => [key, input(field.type, key)]));
  }

  function selection(type: GraphQLOutputType, depth: number): string {
    const named = getNamedType(type);
    const directive = random.chance(0.05)
      ? random.pick([' @skip(if: false)', ' @include(if: true)', ' @nope'])
      : '';
    if (isUnionType(named)) {
      const parts = named.getTypes().map(part => `... on ${part.name}${directive} ${selection(part, depth)}`);
      return `{ __typename ${parts.join(' ')} }`;
    }
    if (!isObjectType(named)) return '';
    if (depth > 8) return '{ __typename }';
    const chosen = Object.values(named.getFields()).filter(() => random.chance(0.6));
    const fields = chosen.map(field => {
      const alias = random.chance(0.1) ? `a${random.below(9)}: ` : '';
      return `${alias}${field.name}${directive} ${selection(field.type, depth + 1)}`;
    });
    return `{ __typename ${fields.join(' ')} }`;
  }

  const all = Object.values(root.getFields());
  const fields = Array.from({ length: 1 + random.below(3) }, (_, index) => {
    const field = random.pick(all);
    const args = field.args.map(arg => {
      const name = `v${index}_${arg.name}`;
      declared.push(`$${name}: ${random.chance(0.97) ? arg.type : 'String'}`);
      if (random.chance(0.9)) variables[name] = input(arg.type, arg.name);
      return `${arg.name}: $${name}`;
    });
    return `f${index}: ${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''} ${selection(field.type, 0)}`;
  });
  if (random.chance(0.05))
    fields.push('__schema { types { fields { type { ofType { fields { name } } } } } }');
  const spread = random.chance(0.1) ? ' ...Part' : '';
  const fragment = spread
    ? ` fragment Part on ${root.name} { __typename${random.chance(0.3) ? ' ...Part' : ''} }`
    : '';
  const kind = root === schema.getQueryType() ? 'query' : 'mutation';
  let query = `${kind} ${declared.length > 0 ? `(${declared.join(', ')})` : ''} { ${fields.join(' ')}${spread} }${fragment}`;
  if (random.chance(0.03)) query = query.slice(0, random.below(query.length));
  return { query, variables };
}

async function fuzzGraphQL(
  app: App,
  random: Random,
  rounds: number,
  tokens: string[],
  known: Record<string, unknown[]>,
) {
  const schema = await app.gatehouse.graphqlSchema();
  for (let round = 0; round < rounds; round++) {
    const document = createDocument(random, schema, known);
    const headers = { ...headersFor(random, tokens), 'Content-Type': 'application/json' };
    const reply = await send(app, '/graphql', { method: 'POST', headers, body: JSON.stringify(document) });
    const shown = `seed ${seed}: ${JSON.stringify(document).slice(0, 1500)}: ${JSON.stringify(reply.body).slice(0, 500)}`;
    expect(reply.status, shown).toBeLessThan(500);
    for (const { extensions } of reply.body.errors ?? []) {
      expect(extensions?.code, shown).toMatch(/^[a-z_]+$/);
      expect(extensions.status, shown).toBeLessThan(500);
    }
  }
}

/** Nothing that opens an account, and no whole address, is in the records of the run. */
function expectSilentLogs(app: App, { texts }: Secrets) {
  const logs = JSON.stringify(app.logs, (_, value) =>
    value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value,
  );
  expect(logs).not.toMatch(/\$argon2|eyJ[\w-]+\.|[\w.+-]+@example\.org/);
  for (const text of texts) expect(logs.includes(text), 'a secret is in the log').toBe(false);
  expect(app.logs.filter(record => record.level === 'error').map(record => record.message)).toEqual([]);
}

const settings = {
  ...{ enableAdminRouter: true, rateLimitDisabled: true },
  ...{ enableTotp: true, enablePasskeys: true, enableSessionList: true, dataEncryptionKey },
  mailStore: 'database' as const,
  auditStore: 'database' as const,
  ...unheardWebhook,
  ...{ enableBrowserSessions: true, notifyNewSignIn: true },
};

describeEachBackend(
  'requests that nobody thought of',
  backend => {
    test('find no error of the server, nothing that hangs, nothing undocumented, and leave no secret in the log', async () => {
      const app = await startApp({ backend, settings });
      const random = createRandom(seed);
      const root = await signUp(app, 'root@example.org');
      await app.gatehouse.repositories.users.change(root.id, { set: { isSuperuser: true } });
      const members: Member[] = [
        root,
        await signUp(app, 'ada@example.org'),
        await signUp(app, 'bob@example.org'),
      ];
      const { password } = root;
      const secret = 'a password of the fuzz run';
      const emails = ['ada@example.org', 'bob@example.org', 'new@example.org', 'other@example.org'];
      const known = {
        email: emails,
        new_email: emails,
        password: [password, secret],
        current_password: [password],
        new_password: [secret, password],
        full_name: ['Ada', null],
        token: ['x'.repeat(43)],
        // The superuser's own id is not among them, so that administration goes on.
        id: [members[1]!.id, members[2]!.id],
        is_active: [true, false],
        is_superuser: [false],
        search: ['ada'],
        limit: [1, 50, 300],
        skip: [0, 1],
        code: ['000000', '123 456'],
        credential: [{}, { id: 'x', response: { userHandle: 'x' } }],
        session_id: ['x'],
        first: [1, 5, 300],
        after: [Buffer.from('x').toString('base64url')],
      };
      const tokens = [root.token, ...members.map(member => member.token)];
      const isFull = backend.name === 'sqlite';
      await fuzzRest(app, random, isFull ? 600 : 120, tokens, known);
      await fuzzGraphQL(app, random, isFull ? 400 : 80, tokens, known);
      await app.close();
      const mailed = app.mails.flatMap(({ text }) =>
        [...text.matchAll(/token=([\w.-]+)/g)].map(match => match[1]!),
      );
      expectSilentLogs(app, { texts: new Set([password, secret, ...tokens, ...mailed]) });
    }, 120_000);
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
