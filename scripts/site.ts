// `npm run site`: makes a site from docs/ and serves it at http://127.0.0.1:4173, or at the port that `--port` names; `--build` only
// makes it, in site/built. Nothing is fetched but, once, the packages that site/package-lock.json names.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stagePages } from './docs/pages-of-site.ts';

const root = join(import.meta.dirname, '..');
const site = join(root, 'site');
const { values } = parseArgs({
  options: { build: { type: 'boolean' }, port: { type: 'string', default: '4173' } },
});

function run(command: string, ...args: string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: site, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(site, 'node_modules')))
  run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0');
const pages = join(site, '.pages');
rmSync(pages, { recursive: true, force: true });
stagePages(root, pages);
const rspress = join(site, 'node_modules/@rspress/core/bin/rspress.js');
run(process.execPath, rspress, 'build');
if (!values.build) {
  const args = [rspress, 'preview', '--host', '127.0.0.1', '--port', values.port];
  const server = spawn(process.execPath, args, { cwd: site, stdio: 'inherit' });
  // It ends with this process, whatever asks for that.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal));
  server.on('exit', code => process.exit(code ?? 0));
}
