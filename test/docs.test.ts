import { spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generatedDocs, readDoc, withGenerated } from '../scripts/write-docs.ts';
import { isOfKubernetes } from '../src/config/kubernetes.ts';
import { camelCase, environmentName, fields, namedFields } from '../src/config/names.ts';
import { errorCodes } from '../src/errors.ts';
import { type App, startApp } from './support/app.ts';
import { blocksIn } from './support/documents.ts';
import { strongSettings } from './support/strong.ts';

/** The cells of every row of every table in a document, without padding. */
const rowsOf = (file: string) =>
  readDoc(file)
    .split('\n')
    .filter(line => line.startsWith('| '))
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    );

describe('generated documents', () => {
  test.each(generatedDocs)('$file is current (else: npm run docs)', async doc => {
    const text = readDoc(doc.file);
    expect(await withGenerated(text, doc)).toBe(text);
  });

  test('a document without its markers is an error that names both', async () => {
    const doc = { file: 'docs/x.md', name: 'x', content: () => '' };
    await expect(withGenerated('# Nothing', doc)).rejects.toThrow(
      'docs/x.md needs the lines <!-- generated: x -->',
    );
  });
});

describe('docs/configuration.md', () => {
  const rows = rowsOf('docs/configuration.md');

  // Shows asvs/6.1.1, asvs/7.1.1.
  test('lists every field once, with its name in the environment and a note', () => {
    for (const { path } of [...fields, ...namedFields]) {
      const [row, ...more] = rows.filter(cells => cells[1] === `\`${environmentName(path)}\``);
      expect([row?.[0], more]).toEqual([`\`${path.at(-1)}\``, []]);
      expect(row?.[3]).toMatch(/./);
    }
  });

  test.each([
    ['SVC_PORT', '`8000`'],
    ['SVC_EMAIL__SMTP_PORT', '`587`'],
    ['SVC_JWT_SECRET', 'must be set'],
    ['SVC_CORS_ORIGINS', 'empty'],
    ['SVC_LOGIN_RATE_LIMIT', 'empty'],
    ['SVC_THEME_CSS_URL', 'none'],
  ])('says that the default of %s is %s', (name, byDefault) => {
    expect(rows.find(cells => cells[1] === `\`${name}\``)?.[2]).toBe(byDefault);
  });

  test('marks what is secret, and nothing else', () => {
    const marked = rows.filter(cells => cells[3]?.startsWith('Secret. ')).map(cells => cells[1]);
    const secret = [...fields, ...namedFields]
      .filter(field => field.isSecret)
      .map(({ path }) => `\`${environmentName(path)}\``);
    expect(marked.sort()).toEqual(secret.sort());
  });

  test('names only arguments and variables that there are', () => {
    const text = readDoc('docs/configuration.md');
    const known = new Set([
      'SVC_CONFIG',
      'SVC_SECRETS',
      'SVC_',
      ...[...fields, ...namedFields].map(({ path }) => environmentName(path)),
      ...fields.flatMap(({ path, isSecret }) => (isSecret ? `${environmentName(path)}_FILE` : [])),
    ]);
    const named = [...text.matchAll(/\bSVC_[A-Z0-9_]*/g)].map(([name]) => name);
    expect(named.filter(name => !known.has(name) && !isOfKubernetes(name, ''))).toEqual([]);
    const names = new Set(fields.flatMap(({ path }) => path.map(camelCase)));
    const used = [...text.matchAll(/createGatehouse\(\{(.*)\}\)/g)].flatMap(
      ([, inner]) => inner!.match(/\w+(?=:)/g)!,
    );
    expect(used.filter(name => !names.has(name))).toEqual([]);
  });
});

/** Grows only with a feature; what is generated and what only contributors read does not count. */
const mostWords = 55_000;

test(`the documents for readers have at most ${mostWords} words`, () => {
  const texts = readdirSync(join(import.meta.dirname, '../docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => readDoc(`docs/${name}`).replace(/<!-- generated: [\s\S]*?<!-- \/generated -->/g, ''));
  expect(texts.join('\n').trim().split(/\s+/).length).toBeLessThanOrEqual(mostWords);
});

test('docs/errors.md lists every code once', () => {
  const codes = rowsOf('docs/errors.md')
    .filter(cells => /^\d+$/.test(cells[1] ?? ''))
    .map(cells => cells[0])
    .filter(cell => cell?.startsWith('`'));
  expect(codes.sort()).toEqual(
    Object.keys(errorCodes)
      .map(code => `\`${code}\``)
      .sort(),
  );
});

/** What one `curl` of a document asks for. */
interface Request {
  line: string;
  method: string;
  /** Below `api_prefix`, without its query. */
  path: string;
  body: Record<string, unknown> | undefined;
}

describe('what the documents type into a shell', async () => {
  const blocks = await blocksIn('sh');
  let app: App;
  beforeAll(async () => {
    const oauth = { googleClientId: 'client', googleClientSecret: 'secret', requireCodeChallenge: true };
    const features = {
      enableAdminRouter: true,
      enableSms2fa: true,
      enableOauth: true,
      oauth,
      ...strongSettings,
      notifyNewSignIn: true,
    };
    app = await startApp({ settings: features });
  });
  afterAll(() => app.close());

  /** A word in place of what the reader puts in: `<TOKEN>` would be a redirection. */
  const filled = (text: string) => text.replace(/<[A-Z_]+>/g, 'x');

  test('is what a shell understands', () => {
    const script = blocks.map(({ text }) => `(\n${filled(text)}\n)`).join('\n');
    expect(spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' }).stderr).toBe('');
  });

  const requests = blocks
    .flatMap(({ text }) =>
      filled(text)
        .replaceAll(/\\\n\s*/g, '')
        .split('\n'),
    )
    .filter(line => line.startsWith('curl '))
    .flatMap((line): Request[] => {
      const path = /https?:\/\/[^/\s]+\/api\/auth([^\s?']*)/.exec(line)?.[1];
      if (path === undefined) return [];
      const data = / -d '([^']*)'/.exec(line)?.[1];
      const method = / -X ([A-Z]+)/.exec(line)?.[1] ?? (data === undefined ? 'GET' : 'POST');
      return [{ line, method, path, body: data === undefined ? undefined : JSON.parse(data) }];
    });

  test('asks the API for routes that it has, with fields that they know', async () => {
    const { paths, components } = (await app.rest('GET', '/openapi.json')).body;
    expect(requests.length).toBeGreaterThan(20);
    for (const { line, method, path, body } of requests.filter(({ path }) => path !== '/graphql')) {
      const pattern = Object.keys(paths).find(candidate =>
        new RegExp(`^${candidate.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
      );
      const operation = paths[pattern ?? '']?.[method.toLowerCase()];
      expect(operation, line).toBeDefined();
      const described = operation.requestBody?.content['application/json'].schema ?? {};
      const { properties = {} } = components?.schemas?.[described.$ref?.split('/').at(-1)] ?? described;
      const unknown = Object.keys(body ?? {}).filter(field => !(field in properties));
      expect(unknown, line).toEqual([]);
    }
  });

  test('sends GraphQL that fits the schema', async () => {
    const queries = requests.filter(({ path }) => path === '/graphql').map(({ body }) => String(body?.query));
    expect(queries).not.toEqual([]);
    const schema = await app.gatehouse.graphqlSchema();
    for (const query of queries) expect(validate(schema, parse(query))).toEqual([]);
  });
});

describe('docs/troubleshooting.md', () => {
  const firstCells = rowsOf('docs/troubleshooting.md').map(([cell = '']) => cell);
  const codes = new Set(firstCells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(match => match[1])));

  test('says what to do about every error code', () => {
    expect(Object.keys(errorCodes).filter(code => !codes.has(code))).toEqual([]);
  });

  test('and about every code of a failed external sign-in', () => {
    const list = /failed sign-in with an external provider[\s\S]*/.exec(readDoc('docs/errors.md'))![0];
    const external = [...list.matchAll(/`(\w+)`/g)].map(match => match[1]);
    expect(external.length).toBeGreaterThan(10);
    expect(external.filter(code => !codes.has(code))).toEqual([]);
  });

  test('quotes messages as the code has them', () => {
    const text = readDoc('docs/troubleshooting.md').split('## Emails')[0]!;
    const root = join(import.meta.dirname, '../src');
    const source = globSync('**/*.ts', { cwd: root })
      .map(path => readFileSync(join(root, path), 'utf8'))
      .join('\n')
      .replace(/\\'/g, "'");
    const quoted = text
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .flatMap(line => [...line.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(match => match[1]!));
    // Strip the placeholders of names and paths, and the key in front of a message.
    const parts = quoted.flatMap(message =>
      message.replace(/^[\w.]+: /, '').split(/ ?(?:…|<[^>]*>|HOST:PORT|documents\.json:|NAME) ?/),
    );
    const words = parts.map(part => part.replace(/^[: ]+|[;, ]+$/g, '')).filter(part => part.length > 5);
    expect(words.length).toBeGreaterThan(40);
    expect(words.filter(part => !source.includes(part))).toEqual([]);
  });
});
