// Shows that each feature is one folder: without the folder and its line in src/features/index.ts, the sources type-check, and
// an instance starts over a new database and over one that the whole project has made; somebody signs in through both doors.
// `node scripts/without-features.ts [NAME …]`, where NAME+NAME removes several at once.
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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

/** The lists in which each feature has at most one line. */
const lists = ['src/features/index.ts', 'src/features/events.ts'];

/** Returns a copy of the sources without these features. */
async function copyWithout(removed: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `without-${removed.join('-')}-`));
  for (const path of needed) await cp(join(root, path), join(folder, path), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const name of removed) await rm(join(folder, 'src/features', name), { recursive: true });
  for (const list of lists) {
    const lines = (await readFile(join(folder, list), 'utf8')).split('\n');
    const left = lines.filter(line => !removed.some(name => line.includes(`'./${name}/`)));
    await writeFile(join(folder, list), left.join('\n'));
  }
  const options = { extends: './tsconfig.json', include: ['src', 'scripts'] };
  await writeFile(join(folder, 'tsconfig.without.json'), JSON.stringify(options));
  return folder;
}

/** How much of a failure is shown, in characters. */
const mostShown = 3000;

function run(folder: string, script: string, ...args: string[]): string | null {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    ...{ cwd: folder, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  });
  return status === 0 ? null : `${basename(script)}: ${stdout}${stderr}`.slice(0, mostShown);
}

/** Returns the first failure without these features, or null. */
async function failureWithout(removed: string[]): Promise<string | null> {
  const folder = await copyWithout(removed);
  try {
    const story = join(folder, 'scripts/sign-in-story.ts');
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    return (
      run(folder, compiler, '--noEmit', '-p', 'tsconfig.without.json') ??
      run(folder, story, join(folder, 'new.db'), 'ada@example.org') ??
      // The tables of the feature are in a database of the whole project.
      run(root, join(root, 'scripts/sign-in-story.ts'), join(folder, 'whole.db'), 'ada@example.org') ??
      run(folder, story, join(folder, 'whole.db'), 'bob@example.org')
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
const asked = process.argv.slice(2);
for (const name of asked.length > 0 ? asked : [...names, ...together]) {
  const failure = await failureWithout(name.split('+'));
  console.log(`without ${name}: ${failure ?? 'type-checks, starts, and people sign in'}`);
  if (failure !== null) process.exitCode = 1;
}
