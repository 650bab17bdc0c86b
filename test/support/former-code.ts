import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from './built.ts';

const root = join(import.meta.dirname, '../..');
/** The state of this repository that `test/fixtures/before` is of. */
const commit = 'ff1ee4a';
const parts = ['src', 'views', 'static', 'data', 'package.json'];

/** Whether this copy of the repository has its history. */
export const hasFormerCode =
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status === 0;

/** Puts the version before this one into a folder, with the packages of this one. Returns its `svc`. */
export async function unpackFormer(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', '--format=tar', commit, ...parts], {
    ...{ cwd: root, maxBuffer: 2 ** 28 },
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return build(folder, { from: folder });
}
