import { execFile } from 'node:child_process';
import { webcrypto } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createProgram } from '../src/cli/program.ts';
import { loadConfig } from '../src/config/load.ts';
import { type App, jwtSecret, startApp, tokenOf } from './support/app.ts';
import { type Block, blocksIn, blocksOf } from './support/documents.ts';
import { type Oidc, startOidc } from './support/oidc.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
/** `svc`, however it is called. */
const program = /^(?:npx )?(?:svc|node \S*cli\/main\.[jt]s) /;
const called = new RegExp(`${program.source}.*`, 'gm');
const titleOf = ({ document, text }: Block) => `${document}: ${text.trim().split('\n', 3).join(' ')}`;
const titled = async (language: string) =>
  (await blocksIn(language)).map(block => [titleOf(block), block] as const);

let oidc: Oidc;
let app: App;
beforeAll(async () => {
  oidc = await startOidc();
  app = await startApp({
    settings: {
      ...{ baseUrl: 'https://app.example', enableSms2fa: true, enableAdminRouter: true, enableOauth: true },
      oauth: oidc.settings,
    },
  });
});
afterAll(async () => {
  await app?.close();
  await oidc?.close();
});

describe('in the documents', async () => {
  test.each(await titled('toml'))('a configuration is one (%s)', async (_, { text }) => {
    const cwd = await mkdtemp(join(inject('temporaryFolder'), 'toml-'));
    await writeFile(join(cwd, 'svc.toml'), text);
    const env = {
      SVC_JWT_SECRET: jwtSecret,
      SVC_SMS__TWILIO_AUTH_TOKEN: 'x',
      SVC_OAUTH__GOOGLE_CLIENT_SECRET: 'x',
    };
    expect(() => loadConfig({ cwd, env })).not.toThrow();
  });

  test.each(await titled('graphql'))('a GraphQL document fits the schema (%s)', async (_, { text }) => {
    const schema = buildSchema(await readFile(join(root, 'schema.graphql'), 'utf8'));
    expect(validate(schema, parse(text))).toEqual([]);
  });

  test('JSON is JSON', async () => {
    for (const { document, text } of await blocksIn('json')) {
      expect(() => JSON.parse(text), `${document}: ${text}`).not.toThrow();
    }
  });

  test('tests that are named are there', async () => {
    const text = await readFile(join(root, 'docs/security.md'), 'utf8');
    const named = [...text.matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });

  test('commands are there, with their options', async () => {
    const unit = await readFile(join(root, 'examples/production/svc@.service'), 'utf8');
    const typed = (await blocksIn('sh')).map(({ text }) => text).join('\n');
    const lines = `${typed}\n${unit.replace(/^ExecStart=\S+\//gm, '')}`.match(called) ?? [];
    expect(lines).not.toEqual([]);
    for (const line of lines) {
      const words = line.replace(program, '').split(/\s+#/, 1)[0]!.trim().split(/\s+/);
      let command: Pick<ReturnType<typeof createProgram>, 'commands' | 'options'> = createProgram();
      let options: string[] = [];
      for (const [i, word] of words.entries()) {
        const next = command.commands.find(candidate => candidate.name() === word);
        if (!next) {
          options = words.slice(i).filter(word => word.startsWith('--'));
          break;
        }
        command = next;
      }
      expect(command.commands, line).toEqual([]);
      const known = [...command.options.map(({ long }) => long), '--help'];
      expect(
        options.map(option => option.split('=')[0]).filter(option => !known.includes(option)),
        line,
      ).toEqual([]);
    }
  });
});

describe('docs/second-factor.md, from the first command to the last', async () => {
  const blocks = (await blocksOf('docs/second-factor.md')).filter(
    ({ language, text }) => language === 'graphql' || text.startsWith('curl '),
  );
  /** What the reader copies from one answer into the next request. */
  const copied: Record<string, string> = {};

  beforeAll(async () => {
    const [email, password] = ['ada@example.org', 'correct horse'];
    await app.rest('POST', '/register', { email, password });
    const { body } = await app.rest('POST', '/verify', { token: tokenOf(await app.nextMail(email)) });
    await app.gatehouse.repositories.users.change(body.id, { set: { isSuperuser: true } });
    remember((await app.rest('POST', '/login', { email, password })).body);
    copied.USER_ID = body.id;
  });

  test.each(blocks.map(block => [titleOf(block), block] as const))('%s', async (_, { language, text }) => {
    const code = /\d{6}$/.exec(app.texts.at(-1)?.text ?? '')?.[0];
    const filled = text
      .replaceAll('http://localhost:8000/api/auth', app.url)
      .replaceAll(
        /<([A-Z_]+)>/g,
        (_, name: string) => (name === 'CODE' ? code : copied[name]) ?? `no ${name}`,
      );
    const answer = language === 'graphql' ? await ask(filled) : await runInShell(filled);
    expect(answer).not.toHaveProperty('errors');
    remember(answer);
  });

  async function ask(query: string): Promise<unknown> {
    return (await app.graphql(query, undefined, { token: copied.ACCESS_TOKEN! })).body;
  }

  async function runInShell(text: string): Promise<unknown> {
    const quiet = text.replace(/^curl /, 'curl --fail --silent --show-error ');
    return JSON.parse((await run('sh', ['-c', quiet])).stdout);
  }

  function remember(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return;
    for (const [key, value] of Object.entries(answer)) {
      const name = key.replace(/[A-Z]/g, '_$&').toUpperCase();
      if (typeof value === 'string' && name.endsWith('_TOKEN')) copied[name] = value;
      else remember(value);
    }
  }
});

test('docs/oauth.md: the app in the document signs somebody in', async () => {
  const scripts = (await blocksOf('docs/oauth.md')).filter(({ language }) => language === 'js');
  const source = scripts.map(({ text }) => text.replace(/'https:.*\/api\/auth'/, `'${app.url}'`)).join('\n');
  const stored = new Map<string, string>();
  const sessionStorage = {
    setItem: (key: string, value: string) => void stored.set(key, value),
    getItem: (key: string) => stored.get(key) ?? null,
    removeItem: (key: string) => void stored.delete(key),
  };
  const location = { search: '', pathname: '/', assign: (url: string) => void visited.push(url) };
  const visited: string[] = [];
  const history = { replaceState: (_state: null, _title: string, path: string) => void visited.push(path) };
  const browser = { location, history, sessionStorage, crypto: webcrypto };
  const { signIn, finish } = new Function(...Object.keys(browser), `${source}\nreturn { signIn, finish };`)(
    ...Object.values(browser),
  );

  await signIn();
  const start = new URL(visited.pop()!);
  const { headers } = await app.rest('GET', start.href.slice(app.url.length));
  const { search } = await oidc.signInAt(headers.get('Location')!, 'grace');
  const ended = await app.rest('GET', `/oauth/google/callback${search}`);
  location.search = new URL(ended.headers.get('Location')!).search;
  const answer = await finish();
  expect(answer).toMatchObject({ token_type: 'bearer', was_new_account: true });
  const documented = (await blocksOf('docs/oauth.md')).find(({ language }) => language === 'json')!;
  expect(Object.keys(answer).sort()).toEqual(Object.keys(JSON.parse(documented.text)).sort());
  expect([visited, stored.size]).toEqual([['/'], 0]);
});
