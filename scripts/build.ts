// Builds dist/ from src/, or into the folder that is named: the content of the npm package.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = resolve(root, process.argv[2] ?? 'dist');
const commandLine = join(dist, 'cli/main.js');

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, 'node_modules/.bin/tsc');
const { status } = spawnSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', dist], {
  cwd: root,
  stdio: 'inherit',
});
if (existsSync(commandLine)) chmodSync(commandLine, 0o755);
process.exitCode = status ?? 1;
