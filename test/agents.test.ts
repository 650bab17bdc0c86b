import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { format } from '../scripts/docs/llms.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const agents = read('AGENTS.md');

/** The files that AGENTS.md has a reader write, by their names. */
const files = [...agents.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, name, text]) => [name!, text!] as const,
);

test('AGENTS.md is short, and comes with the package', () => {
  expect(agents.split('\n').length).toBeLessThanOrEqual(151);
  expect(manifest.files).toEqual(expect.arrayContaining(['AGENTS.md', 'llms.txt']));
});

test('the application of AGENTS.md passes its test', async () => {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'agents-'));
  const hook = `
    import { registerHooks } from 'node:module';
    const sources = ${JSON.stringify({
      'gatehouse-auth': pathToFileURL(join(root, 'src/index.ts')).href,
      'gatehouse-auth/testing': pathToFileURL(join(root, 'src/testing/index.ts')).href,
    })};
    registerHooks({ resolve: (name, context, next) => next(sources[name] ?? name, context) });`;
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  expect(files.map(([name]) => name)).toEqual(['app.js', 'server.js', 'orders.node.js']);
  const args = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, '--test', 'orders.node.js'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  expect(stdout).toMatch(/pass 2\b/);
});

test('llms.txt names every document of the package, and is current (else: npm run docs)', () => {
  const text = read('llms.txt');
  const documents = globSync('docs/*.md', { cwd: root }).toSorted();
  expect(text).toBe(format(documents, read));
  const linked = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path]) => path!);
  expect(documents.filter(path => !linked.includes(path))).toEqual([]);
  expect(linked.filter(path => globSync(path, { cwd: root }).length === 0)).toEqual([]);
});
