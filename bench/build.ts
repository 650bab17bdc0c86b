import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The package as people install it: JavaScript, in a folder of the bench's own. */
export const packageFolder = join(import.meta.dirname, '.build');

/** Compiles the sources of today into it. */
export function build(): void {
  rmSync(packageFolder, { recursive: true, force: true });
  mkdirSync(packageFolder);
  const dist = join(packageFolder, 'dist');
  execFileSync(process.execPath, ['scripts/build.ts', dist], { cwd: root, stdio: 'inherit' });
  for (const name of ['package.json', 'views', 'static', 'locales', 'data']) {
    cpSync(join(root, name), join(packageFolder, name), { recursive: true });
  }
}
