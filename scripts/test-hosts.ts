// `npm run test:hosts`: applications that install the packed package and packages of others, and the site. With `--if-changed`, as
// in CI, only where what they are made of is not what the last run that passed has noted. A release runs them in any case.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

interface Part {
  /** Its tests, and the file `inputs.sha256` that notes what they have passed with. */
  folder: string;
  inputs: string[];
}

/** The files that decide whether a host runs: the build of the package, its entries, and the hosts themselves. */
const hosts = [
  'package.json',
  'examples/**/*',
  'packages/create/{package.json,src/**/*}',
  'scripts/{build,build-create,bundle}.ts',
  'src/cli/{answers,init-files}.ts',
  'src/{feature,gatehouse,index}.ts',
  'src/{composition,graphql,http,rest}/**/*',
  'test/browser/use-browser.ts',
  'test/mounts/**/*.*',
  'test/support/{created,installed-examples,packed,program}.ts',
  'vitest.config.ts',
];

const parts: Part[] = [
  { folder: 'test/mounts', inputs: hosts },
  // Not `docs`: a test of every run checks its links, and a change of its words must not install packages.
  {
    folder: 'test/site',
    inputs: ['scripts/{site,docs/pages-of-site}.ts', 'site/*', 'test/site/*.ts'],
  },
];

function hashOf(patterns: string[]): string {
  const exclude = [
    '**/node_modules/**',
    '**/{.next,.svelte-kit,.astro}/**',
    '**/inputs.sha256',
    'site/{.pages,built}/**',
  ];
  const entries = globSync(patterns, { cwd: root, exclude, withFileTypes: true });
  const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const path of paths.toSorted()) {
    const content = createHash('sha256').update(readFileSync(path)).digest('hex');
    hash.update(`${path.slice(root.length + 1)} ${content}\n`);
  }
  return hash.digest('hex');
}

function readNoted(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return 'none';
  }
}

for (const { folder, inputs } of parts) {
  const noted = join(root, folder, 'inputs.sha256');
  const hash = hashOf(inputs);
  if (process.argv.includes('--if-changed') && readNoted(noted) === hash) {
    console.log(`${folder} is not run: nothing that it is made of has changed since it passed.`);
    continue;
  }
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--mode', 'hosts', folder];
  const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit', cwd: root });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(noted, `${hash}\n`);
}
