import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** Builds packages/create into a folder of its own, with what it imports. Returns the folder. */
export async function buildCreate(): Promise<string> {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'create-'));
  for (const file of ['package.json', 'README.md'])
    await cp(join(root, 'packages/create', file), join(folder, file));
  await run(process.execPath, [join(root, 'scripts/build-create.ts'), folder]);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Packs what a release would pack of packages/create. Returns the tarball's path, and the paths in it. */
export async function packCreate(): Promise<{ path: string; files: string[] }> {
  const folder = await buildCreate();
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--offline'], { cwd: folder });
  const [tarball] = (await readdir(folder)).filter(name => name.endsWith('.tgz'));
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  return { path: join(folder, tarball!), files: files.map(({ path }) => path) };
}
