import { execFile } from 'node:child_process';
import { webcrypto } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createProgram } from '../src/cli/program.ts';
import { loadConfig } from '../src/config/load.ts';
import { type App, dataEncryptionKey, jwtSecret, startApp, tokenOf } from './support/app.ts';
import { type Block, blocksIn, blocksOf } from './support/documents.ts';
import { type Oidc, startOidc } from './support/oidc.ts';
import { Program } from './support/program.ts';
import { codeOf, strongSettings } from './support/strong.ts';

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
      ...strongSettings,
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
      SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey,
      SVC_OAUTH__GOOGLE_CLIENT_SECRET: 'x',
      ...(text.includes('[oauth.providers.example]') && {
        SVC_OAUTH__PROVIDERS__EXAMPLE__CLIENT_SECRET: 'x',
      }),
    };
    for (const [, name] of text.matchAll(/^\[webhooks\.(\w+)\]$/gm))
      Object.assign(env, {
        [`SVC_WEBHOOKS__${name!.toUpperCase()}__SECRET`]: `whsec_${btoa('x'.repeat(32))}`,
      });
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
    const text = await readFile(join(root, 'docs/internals/promises.md'), 'utf8');
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
      let command: Pick<
        Awaited<ReturnType<typeof createProgram>>,
        'commands' | 'options'
      > = await createProgram();
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

describe('the guides of strong sign-in, from the first command to the last', async () => {
  const guides = ['strong-sign-in', 'stricter-sign-in', 'passkeys', 'text-messages', 'sessions'];
  const blocks = (await Promise.all(guides.map(guide => blocksOf(`docs/${guide}.md`))))
    .flat()
    .filter(({ text }) => text.startsWith('curl '));
  /** What the reader copies from one answer into the next request. */
  const copied: Record<string, string> = {};
  /** What the reader reads off a phone. */
  const read: Record<string, () => string | undefined> = {
    CODE: () => /\d{6}$/.exec(app.texts.at(-1)?.text ?? '')?.[0],
    APP_CODE() {
      // Each code is good once.
      app.clock.advance(30_000);
      return codeOf(app, copied.SECRET!);
    },
  };

  beforeAll(async () => {
    const [email, password] = ['ada@example.org', 'correct horse'];
    await app.rest('POST', '/register', { email, password });
    const { body } = await app.rest('POST', '/verify', { token: tokenOf(await app.nextMail(email)) });
    await app.gatehouse.repositories.users.change(body.id, { set: { isSuperuser: true } });
    remember((await app.rest('POST', '/login', { email, password })).body);
    copied.USER_ID = body.id;
  });

  test.each(blocks.map(block => [titleOf(block), block] as const))('%s', async (_, { text }) => {
    const filled = text
      .replaceAll('http://localhost:8000/api/auth', app.url)
      .replaceAll(/<([A-Z_]+)>/g, (_, name: string) => read[name]?.() ?? copied[name] ?? `no ${name}`);
    const answers = await runInShell(filled);
    expect(answers).not.toEqual([]);
    for (const answer of answers) remember(answer);
  });

  /** Runs each command of a block, and answers what each has printed. */
  async function runInShell(text: string): Promise<unknown[]> {
    const answers = [];
    for (const command of text.split(/^(?=curl )/m)) {
      const quiet = command.replace(/^curl /, 'curl --fail --silent --show-error ');
      answers.push(JSON.parse((await run('sh', ['-c', quiet])).stdout));
    }
    return answers;
  }

  function remember(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return;
    for (const [key, value] of Object.entries(answer)) {
      const name = key.replace(/[A-Z]/g, '_$&').toUpperCase();
      if (name === 'RECOVERY_CODES') copied.RECOVERY_CODE = value?.[0] ?? copied.RECOVERY_CODE!;
      else if (name === 'ID') copied[nameOfId(answer)] = value as string;
      else if (typeof value === 'string' && /_TOKEN$|^SECRET$/.test(name)) copied[name] = value;
      // The options of a passkey have ids that are the browser's affair.
      else if (name !== 'OPTIONS') remember(value);
    }
  }

  /** What the guide calls the id of such an answer. */
  function nameOfId(answer: object): string {
    if ('secret' in answer) return 'SETUP_ID';
    if ('options' in answer) return 'CHALLENGE_ID';
    return 'is_current' in answer || 'isCurrent' in answer ? 'SESSION_ID' : 'AUTHENTICATOR_ID';
  }
});

test('docs/embedding.md: with what it redacts, the log of a host holds nothing that opens an account', async () => {
  await mkdir(join(root, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, '.cache/logs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const blocks = (await blocksOf('docs/embedding.md')).filter(({ language }) => language === 'js');
  const host = [
    "import express from 'express';",
    'const app = express();',
    ...blocks.map(({ text }) => text),
    "app.get('/account/verify', (_req, res) => void res.cookie('svc', 'planted-kept').redirect('/done?id=planted-id'));",
    "app.use('/mounted', (_req, res) => void res.json({}));",
    "app.listen(0, '127.0.0.1', function () { console.log('at ' + this.address().port + '.'); });",
  ];
  await writeFile(join(folder, 'host.mjs'), host.join('\n'));
  const program = new Program([join(folder, 'host.mjs')], { cwd: folder });
  onTestFinished(() => program.kill());
  const [, port] = await program.waitFor(/^at (\d+)\.$/m);
  const headers = {
    Authorization: 'Bearer planted-session',
    Referer: 'https://app.example/account/verify?token=planted-referer',
    Cookie: 'planted-cookie',
  };
  for (const path of [
    '/account/verify?token=planted-token',
    '/mounted/x?code=planted-code&state=planted-state',
  ]) {
    await fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' });
  }
  // Each of the two loggers writes each of the two requests.
  for (const path of ['/account/verify', '/mounted/x']) {
    await program.waitFor(new RegExp(`^GET ${path} \\d+ [\\d.]+ ms$`, 'm'));
    await program.waitFor(new RegExp(`"url":"${path}"`));
  }
  expect(program.output).not.toContain('planted');
});

test('documents that ask for svc init override nothing that it asks', async () => {
  const documents = {
    'README.md': 'createGatehouse({ enableBrowserSessions: true })',
    'docs/quick-start.md': 'createGatehouse()',
    'docs/embedding.md': 'createGatehouse()',
    'docs/server-api.md': 'createGatehouse()',
  };
  for (const [document, call] of Object.entries(documents)) {
    const blocks = (await blocksOf(document)).filter(({ language }) => language === 'ts');
    const calls = blocks.flatMap(({ text }) => text.match(/\bcreateGatehouse\(.*\)/g) ?? []);
    expect(calls, document).toEqual([call]);
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
