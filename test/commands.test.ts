import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// Documents, messages and examples tell people to run commands. A package of a stranger with a name like ours would be run
// in place of ours.

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Programs of packages that documents may name beside ours and those of package.json. */
const others = ['node', 'tsc', 'create-vite', 'vite', 'next', 'nest'];

const known = new Set([
  manifest.name,
  ...others,
  ...['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'].flatMap(kind =>
    Object.keys(manifest[kind]),
  ),
]);

/** Files that people read or run; the fixtures are data. */
const files = execFileSync(
  'git',
  [
    'ls-files',
    ...['README.md', 'SECURITY.md', 'CHANGELOG.md', 'package.json'],
    ...['bench', 'docs', 'examples', 'src', 'static', 'views'],
  ],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter(path => path !== '' && !/\.(png|svg)$|package-lock\.json$/.test(path));

const installers = 'npm (?:install|i|add|pack|view)|pnpm (?:add|install)|yarn add|bun (?:add|install)';
/** They run one package; what follows its name are arguments of it. */
const runners = 'npx|npm (?:exec|x|create|init)|pnpm (?:dlx|exec|create)|yarn (?:dlx|create)|bun create|bunx';
const command = new RegExp(
  String.raw`\b(?:(${runners})|${installers})((?:[ \t]+(?:--?[\w=.-]+|\.{0,2}[\w@/.^~-]+))+)`,
  'g',
);

/** Returns the packages that a command line names. */
function packagesOf(words: string, isRun: boolean): string[] {
  const names = words
    .trim()
    .split(/\s+/)
    .filter(word => !word.startsWith('-'))
    .map(word => word.replace(/(?<=.)@[\w.^~-]+$/, '').replace(/[.,;:]+$/, ''))
    .filter(word => word !== '' && !/^\.{1,2}\/|\.tgz$/.test(word));
  return isRun ? names.slice(0, 1) : names;
}

/** Returns the packages of strangers that a text would have people run or install. */
function strangersIn(text: string): string[] {
  // A command may be a list of words: ["npx", "gatehouse-auth"].
  return [...text.replaceAll(/["'],[ \t]*["']/g, ' ').matchAll(command)].flatMap(([, runner, words]) =>
    packagesOf(words!, runner !== undefined).filter(name => !known.has(name)),
  );
}

test.for([
  ['npx svc init', 'svc'],
  ['npx --yes svc@latest init', 'svc'],
  ['npx -p gatehouse svc', 'gatehouse'],
  ['npm exec -- svc', 'svc'],
  ['npm install express gatehouse', 'gatehouse'],
  ['npm install gatehouse@0.1.0', 'gatehouse'],
  ['npm pack gatehouse@0.1.0', 'gatehouse'],
  ['pnpm add gatehouse', 'gatehouse'],
  ['yarn add gatehouse', 'gatehouse'],
  ['npm create gatehouse', 'gatehouse'],
  ['CMD ["npx", "svc", "serve"]', 'svc'],
])('%s is found', ([text, name]) => {
  expect(strangersIn(text!)).toEqual([name]);
});

test.for([
  ...['npx gatehouse-auth init', 'npm install ./gatehouse-auth-0.1.0.tgz', 'svc serve', 'npm install'],
  'npm create gatehouse-auth@latest my-app',
])('%s is of ours', text => {
  expect(strangersIn(text)).toEqual([]);
});

test('commands in documents, messages and examples name no package that is neither ours nor in package.json', () => {
  const strange = files.flatMap(path =>
    strangersIn(readFileSync(join(root, path), 'utf8')).map(name => `${path}: ${name}`),
  );
  expect(strange).toEqual([]);
});
