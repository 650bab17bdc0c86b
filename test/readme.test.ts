import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { built } from './support/built.ts';
import { compile } from './support/compiler.ts';
import { type Block, blocksOf } from './support/documents.ts';
import { Program } from './support/program.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

describe('docs/tour.md', async () => {
  const tour = (await blocksOf('docs/tour.md')).filter(
    ({ language, text }) => language === 'graphql' || (language === 'sh' && text.includes('curl ')),
  );
  /** What the reader copies from the terminal. */
  const copied = { mailedToken: '', accessToken: '' };
  let server: Program;
  let url: string;

  beforeAll(async () => {
    const cwd = await mkdtemp(join(inject('temporaryFolder'), 'readme-'));
    const svc = await built('svc');
    await new Program([svc, 'init', '--yes'], { cwd }).waitFor(/svc\.secrets\.env written/);
    server = new Program([svc, 'serve', '--dev', '--port', '0'], { cwd });
    [, url] = (await server.waitFor(/^listening on (\S+)$/m)) as [string, string];
  });
  afterAll(() => server.kill());

  test.each(tour.map(block => [titleOf(block), block] as const))('%s', async (_, block) => {
    const from = server.output.length;
    const text = block.text
      .replaceAll('http://localhost:8000', url)
      .replaceAll('<TOKEN>', copied.mailedToken)
      .replaceAll('<ACCESS_TOKEN>', copied.accessToken);
    const answer = block.language === 'graphql' ? await send(text) : await runInShell(text);
    expect(answer).not.toHaveProperty('errors');

    const login = findKey(answer, 'access_token') ?? findKey(answer, 'accessToken');
    if (login) copied.accessToken = login;
    if (/register/.test(text)) [, copied.mailedToken] = await mailed(from);
  });

  async function runInShell(text: string): Promise<unknown> {
    const { stdout } = await run('sh', [
      '-c',
      text.replace(/^curl /gm, 'curl --fail --silent --show-error '),
    ]);
    return JSON.parse(stdout);
  }

  async function send(query: string): Promise<unknown> {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (copied.accessToken) headers.Authorization = `Bearer ${copied.accessToken}`;
    const body = JSON.stringify({ query });
    const response = await fetch(`${url}/api/auth/graphql`, { method: 'POST', headers, body });
    return response.json();
  }

  async function mailed(from: number): Promise<[link: string, token: string]> {
    return (await server.waitFor(/^http\S+token=([\w-]{43})$/m, from)) as unknown as [string, string];
  }
});

const titleOf = ({ text }: Block) => text.match(/localhost:8000\S*|\w+(?=\(| \{\n {4})/)?.[0] ?? text;

/** The text under a key, at whatever depth. */
function findKey(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const own = (value as Record<string, unknown>)[key];
  if (typeof own === 'string') return own;
  return Object.values(value)
    .map(inner => findKey(inner, key))
    .find(Boolean);
}

/** A compilation takes as long as the machine takes; no rule here is about that. */
const compilationMs = 180_000;

/** The blocks of each of these documents, one after the other, are one program. */
const typed = [
  ...['README.md', 'docs/quick-start.md', 'docs/embedding.md', 'docs/server-api.md'],
  ...['docs/graphql.md', 'docs/hooks.md', 'docs/client.md', 'docs/server-rendered.md'],
];

test(
  'TypeScript in the documents, and the example, fit the types of the package',
  async () => {
    await mkdir(join(root, '.cache'), { recursive: true });
    const folder = await mkdtemp(join(root, '.cache/documents-'));
    try {
      for (const document of typed) {
        const blocks = (await blocksOf(document)).filter(({ language }) => language === 'ts');
        expect(blocks, document).not.toEqual([]);
        await writeFile(join(folder, `${basename(document)}.ts`), blocks.map(({ text }) => text).join('\n'));
      }
      const components = (await blocksOf('docs/client.md')).filter(({ language }) => language === 'tsx');
      await writeFile(join(folder, 'client.tsx'), components.map(({ text }) => text).join('\n'));
      // A copy, so that packages installed in the example's own folder are not taken for ours.
      await copyFile(join(root, 'examples/express-host/server.js'), join(folder, 'server.js'));
      const settings = {
        extends: '../../tsconfig.json',
        compilerOptions: {
          allowJs: true,
          checkJs: true,
          noUnusedLocals: false,
          jsx: 'react-jsx',
          paths: {
            'gatehouse-auth': ['../../src/index.ts'],
            'gatehouse-auth/client': ['../../src/client/index.ts'],
            'gatehouse-auth/react': ['../../src/react/index.ts'],
          },
        },
        include: ['*.ts', '*.tsx', '*.js'],
      };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
      // Errors outside of the documents do not count.
      const ours = (await compile(folder)).filter(line => /^\S/.test(line) && !line.startsWith('src/'));
      expect(ours).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  compilationMs,
);

test('links between the documents lead to files that are there', async () => {
  const dead: string[] = [];
  for await (const document of glob(['*.md', 'docs/*.md', 'examples/*/*.md'], { cwd: root })) {
    const text = await readFile(join(root, document), 'utf8');
    for (const [, path] of text.matchAll(/\]\((?!\w+:|#)([^)#]+)[^)]*\)/g)) {
      if (!existsSync(join(root, dirname(document), path!))) dead.push(`${document}: ${path}`);
    }
  }
  expect(dead).toEqual([]);
});
