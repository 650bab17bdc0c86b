// Builds dist/ from src/, or into the folder that is named: the content of the npm package.
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { bundle } from './bundle.ts';
import { writePagesScripts } from './pages-scripts.ts';

const root = join(import.meta.dirname, '..');
const dist = resolve(root, process.argv[2] ?? 'dist');

/** Returns the type declarations that importers of the package reach, by their paths. */
function reachableTypes(): Set<string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values<{ types?: string }>(exports).flatMap(({ types }) => types ?? []);
  const reached = new Set(entries.map(path => join(dist, path.replace('./dist/', ''))));
  // A set is iterated over what is added meanwhile, too.
  for (const file of reached) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(
      /(?:from |import\(|import )['"](\.[^'"]+)\.[jt]s['"]/g,
    ))
      reached.add(join(dirname(file), `${path}.d.ts`));
  }
  return reached;
}

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, 'node_modules/.bin/tsc');
const { status } = spawnSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', dist], {
  cwd: root,
  stdio: 'inherit',
});
if (status === 0) {
  // Bundlers of applications take what they need of the browser's modules, so these stay as they are.
  for (const file of globSync('**/*.js', { cwd: dist })) {
    if (!/^(client|react)\//.test(file)) rmSync(join(dist, file));
  }
  await bundle(dist);
  await writePagesScripts();
  chmodSync(join(dist, 'cli/main.js'), 0o755);
  const types = reachableTypes();
  for (const file of globSync('**/*.d.ts', { cwd: dist })) {
    if (!types.has(join(dist, file))) rmSync(join(dist, file));
  }
}
process.exitCode = status ?? 1;
