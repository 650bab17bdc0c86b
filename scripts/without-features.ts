// Shows that each feature is one folder: without the folder and its line in src/features/index.ts, the sources type-check, and
// an instance starts over a new database and over one that the whole project has made; somebody signs in through both doors.
// `node scripts/without-features.ts [NAME …]`, where NAME+NAME removes several at once. Without a name, a few sets of features are
// removed in turn; they are so chosen that a feature is found that something else needs. With `--tests` it goes further: a copy of
// the whole project lacks the feature, its messages, and the tests that import it. In this copy everything type-checks, knip finds
// nothing, and the tests that are left pass. Arguments of vitest may follow: `audit-store --tests --project unit`.
import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { copyFile, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { writePagesScripts } from './pages-scripts.ts';

const root = join(import.meta.dirname, '..');
const needed = [
  'package.json',
  'tsconfig.json',
  'src',
  'views',
  'static',
  'data',
  'locales',
  'scripts/sign-in-story.ts',
];

/** The lists in which a feature has its lines. */
const lists = ['src/features/index.ts', 'src/features/events.ts', 'src/features/errors.ts'];
const listsOfTests = ['test/features/index.ts', 'test/support/projects.ts'];

/** Removes the lines that name the folder of one of these features. */
async function removeLines(list: string, removed: string[]): Promise<void> {
  const lines = (await readFile(list, 'utf8')).split('\n');
  const isOf = (line: string) =>
    removed.some(name => line.includes(`'./${name}/`) || line.includes(`'features/${name}/`));
  await writeFile(list, lines.filter(line => !isOf(line)).join('\n'));
}

/** Returns a copy of these paths without these features. */
async function copyWithout(removed: string[], paths: readonly string[], changed: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `without-${removed.join('-')}-`));
  for (const path of paths) await cp(join(root, path), join(folder, path), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const name of removed)
    for (const parent of ['src/features', 'test/features'])
      await rm(join(folder, parent, name), { recursive: true, force: true });
  for (const list of changed) await removeLines(join(folder, list), removed);
  return folder;
}

/** Removes from a copy the tests elsewhere that import these features, and their lines in the list of projects. */
async function removeTests(folder: string, removed: string[]): Promise<void> {
  const isAbout = (file: string) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return removed.some(name => new RegExp(`from '.*/features/${name}/`).test(text));
  };
  const about = globSync('test/**/*.test.ts', { cwd: folder }).filter(isAbout);
  const list = join(folder, 'test/support/projects.ts');
  const lines = (await readFile(list, 'utf8')).split('\n');
  const isOf = (line: string) => about.some(file => line.includes(`'${file.replace(/^test\//, '')}'`));
  await writeFile(list, lines.filter(line => !isOf(line)).join('\n'));
  for (const file of about) await rm(join(folder, file));
}

/** Removes from a copy the messages that only these features say. */
async function removeMessages(folder: string, removed: string[]): Promise<void> {
  const textsIn = (parent: string, pattern: string) =>
    globSync(pattern, { cwd: parent }).map(file => readFileSync(join(parent, file), 'utf8'));
  const wordsIn = (texts: string[]) =>
    new Set(texts.flatMap(text => [...text.matchAll(/'(\w+)'/g)].map(([, word]) => word!)));
  const left = wordsIn(textsIn(folder, '{src,static,views}/**/*.{ts,js,liquid}'));
  const own = wordsIn(removed.flatMap(name => textsIn(root, `src/features/${name}/**/*.ts`)));
  // Code names a message of a field without `field_`.
  const isLeft = (id: string) => !own.has(id) || left.has(id) || left.has(id.replace(/^field_/, ''));
  for (const file of globSync('locales/*.arb', { cwd: folder })) {
    const path = join(folder, file);
    const messages = Object.entries(JSON.parse(await readFile(path, 'utf8')));
    const kept = messages.filter(([id]) => isLeft(id.replace(/^@/, '')));
    await writeFile(path, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
  }
}

/** How much of a failure is shown, in characters. */
const mostShown = 3000;

/** Runs a program in a folder. Where it fails, returns the tests that failed, or else the end of what it wrote. */
async function runProgram(folder: string, program: string, args: string[]): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const env = {
    ...{ ...process.env, NO_COLOR: '1', NODE_COMPILE_CACHE: compileCache },
    // The compiler of TypeScript collects its garbage less often, which saves a quarter of its time.
    GOGC: '400',
  };
  execFile(program, args, { cwd: folder, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
    resolve(error && `${stdout}${stderr}`),
  );
  const output = await promise;
  if (output === null) return null;
  const failed = new Set(output.split('\n').filter(line => line.startsWith(' FAIL ')));
  const shown = failed.size > 0 ? [...failed].join('\n') : output.slice(-mostShown);
  return `${args.map(arg => basename(arg)).join(' ')}: ${shown}`;
}

const run = (folder: string, script: string, ...args: string[]): Promise<string | null> =>
  runProgram(folder, process.execPath, [script, ...args]);

/** Returns the first failure without these features, or null. */
async function failureWithout(removed: string[]): Promise<string | null> {
  const folder = await copyWithout(removed, needed, lists);
  await copyFile(wholeDatabase, join(folder, 'whole.db'));
  const options = { extends: './tsconfig.json', include: ['src', 'scripts'] };
  await writeFile(join(folder, 'tsconfig.without.json'), JSON.stringify(options));
  try {
    const story = join(folder, 'scripts/sign-in-story.ts');
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    return (
      (await run(folder, compiler, '--noEmit', '--checkers', '1', '-p', 'tsconfig.without.json')) ??
      (await run(folder, story, join(folder, 'new.db'), 'ada@example.org')) ??
      // The tables of the feature are in a database of the whole project.
      (await run(folder, story, join(folder, 'whole.db'), 'bob@example.org'))
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Returns the configuration of knip for a project without these features: an export of the core that only a feature imported is
 * not unused where its own file uses it, and the packages of a feature's tests go with them.
 */
async function knipWithout(folder: string, removed: string[]): Promise<string> {
  const file = join(folder, 'knip.without.json');
  const settings = JSON.parse(await readFile(join(folder, 'knip.json'), 'utf8'));
  const tests = removed.flatMap(name => globSync(`test/features/${name}/**/*.ts`, { cwd: root }));
  const packages = tests.flatMap(path =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/from '((?:@[\w-]+\/)?[\w-]+)/g)].map(
      ([, name]) => name!,
    ),
  );
  const ignoreDependencies = [...new Set([...(settings.ignoreDependencies ?? []), ...packages])];
  await writeFile(file, JSON.stringify({ ...settings, ignoreDependencies, ignoreExportsUsedInFile: true }));
  return file;
}

/** Returns the first failure of what is left of the whole project, its tests among it, or null. */
async function failureOfRest(removed: string[], tests: string[]): Promise<string | null> {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], {
    ...{ cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 },
  });
  const folder = await copyWithout(removed, stdout.trim().split('\n'), [...lists, ...listsOfTests]);
  await removeTests(folder, removed);
  await removeMessages(folder, removed);
  const inPackages = (path: string) => join(root, 'node_modules', path);
  try {
    return (
      // Some tests ask git which files there are.
      (await runProgram(folder, 'git', ['init', '--quiet'])) ??
      (await runProgram(folder, 'git', ['add', '--all'])) ??
      // The pages load what is made of the client.
      (await run(
        folder,
        '--eval',
        `import('./scripts/pages-scripts.ts').then(made => made.writePagesScripts())`,
      )) ??
      (await runProgram(folder, 'npm', ['run', '--silent', 'docs'])) ??
      (await run(folder, inPackages('typescript/bin/tsc'), '--noEmit')) ??
      (await run(folder, inPackages('knip/bin/knip.js'), '--config', await knipWithout(folder, removed))) ??
      (await run(folder, inPackages('vitest/vitest.mjs'), 'run', ...tests))
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

await writePagesScripts();
const entries = await readdir(join(root, 'src/features'), { withFileTypes: true });
const names = entries.filter(entry => entry.isDirectory()).map(({ name }) => name);
/** Features that do one job of the core together: it must do without any. */
const together = ['authenticator-apps+passkeys'];
const { positionals, tests } = readArguments(process.argv.slice(2));
const asked = positionals.length > 0 ? positionals : [...setsOf(names), ...together];

/** The parts that the features which are removed in turn have in common. */
const shared = await mkdtemp(join(tmpdir(), 'without-'));
const compileCache = join(shared, 'compile-cache');
const wholeDatabase = join(shared, 'whole.db');
const failure = await run(root, join(root, 'scripts/sign-in-story.ts'), wholeDatabase, 'ada@example.org');
if (failure !== null) throw new Error(`the whole project: ${failure}`);

const waiting = asked.values();
/** Removes one after the other of those that wait. */
async function work(): Promise<void> {
  for (const name of waiting) await prove(name);
}

/** Says what becomes of the project without these features. */
async function prove(name: string): Promise<void> {
  const removed = name.split('+');
  const failure = tests ? await failureOfRest(removed, tests) : await failureWithout(removed);
  const proof = tests
    ? 'everything type-checks, nothing is unused, and the tests pass'
    : 'type-checks, starts, and people sign in';
  console.log(`without ${name}: ${failure ?? proof}`);
  if (failure !== null) process.exitCode = 1;
}

// Tests of a whole project occupy the machine by themselves.
await Promise.all(Array.from({ length: tests ? 1 : availableParallelism() }, work));
await rm(shared, { recursive: true });

/**
 * Returns a few sets, as NAME+NAME, such that each feature is at some time removed while each other one stays. Every feature is in
 * half of the sets, and no two features are in the same half; so each is in a set in which the other is not.
 */
function setsOf(all: string[]): string[] {
  let count = 0;
  /** Half of the sets for each feature, as numbers with a bit for each set. */
  let halves: number[] = [];
  while (halves.length < all.length) {
    count += 2;
    halves = Array.from({ length: 2 ** count }, (_, bits) => bits).filter(
      bits => bits.toString(2).replaceAll('0', '').length === count / 2,
    );
  }
  return Array.from({ length: count }, (_, set) => all.filter((_, i) => (halves[i]! >> set) & 1).join('+'));
}

/** Returns the names of features, and the arguments of vitest where tests are run. */
function readArguments(given: string[]): { positionals: string[]; tests: string[] | undefined } {
  const at = given.indexOf('--tests');
  return at < 0
    ? { positionals: given, tests: undefined }
    : { positionals: given.slice(0, at), tests: given.slice(at + 1) };
}
