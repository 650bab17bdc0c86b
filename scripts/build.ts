// Builds dist/ and browser/ from src/, or in place of dist/ the folder that is named: the content of the npm package.
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { bundle } from './bundle.ts';
import { writePagesScripts } from './pages-scripts.ts';

const root = join(import.meta.dirname, '..');
const dist = resolve(root, process.argv[2] ?? 'dist');
/** Beside `dist`, so that a bundler can be told that the server alone stays outside. */
const browser = join(dist, '../browser');

/** Returns the type declarations that importers of the package reach, by their paths. */
function reachableTypes(): Set<string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values<{ types?: string }>(exports).flatMap(({ types }) => types ?? []);
  const reached = new Set(entries.map(path => join(dist, '..', path)));
  // A set is iterated over what is added meanwhile, too.
  for (const file of reached) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(
      /(?:from |import\(|import )['"](\.[^'"]+)\.[jt]s['"]/g,
    ))
      reached.add(join(dirname(file), `${path}.d.ts`));
  }
  return reached;
}

for (const folder of [dist, browser]) rmSync(folder, { recursive: true, force: true });
mkdirSync(browser);
const tsc = join(root, 'node_modules/.bin/tsc');
// One checker: several check the same types once each. Garbage is collected rarely: the compiler ends soon.
const { status } = spawnSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', dist, '--checkers', '1'], {
  ...{ cwd: root, stdio: 'inherit', env: { ...process.env, GOGC: '400' } },
});
if (status === 0) {
  // Bundlers of applications take what they need of the browser's modules, so these stay as they are.
  for (const name of ['client', 'react']) renameSync(join(dist, name), join(browser, name));
  for (const file of globSync('**/*.js', { cwd: dist })) rmSync(join(dist, file));
  await bundle(dist);
  await writePagesScripts();
  chmodSync(join(dist, 'cli/main.js'), 0o755);
  const types = reachableTypes();
  for (const folder of [dist, browser]) {
    for (const file of globSync('**/*.d.ts', { cwd: folder })) {
      if (!types.has(join(folder, file))) rmSync(join(folder, file));
    }
  }
}
process.exitCode = status ?? 1;
