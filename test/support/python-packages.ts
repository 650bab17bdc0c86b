import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './binaries.ts';

const run = promisify(execFile);

/**
 * Returns a folder with Python packages, which pip fetches when they are not there yet: one folder for each version of
 * Python, shared by all runs.
 * @throws saying why they cannot be had
 */
export async function findPythonPackages(name: string, pipArguments: string[]): Promise<string> {
  try {
    const version = ['-c', 'import sys; print(sys.implementation.cache_tag)'];
    const { stdout } = await run('python3', version);
    const folder = cacheFolder(`${name}-${stdout.trim()}`);
    const isThere = await access(folder).then(
      () => true,
      () => false,
    );
    if (!isThere) await install(folder, pipArguments);
    return folder;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error((stderr || message).trim().split('\n').at(-1));
  }
}

/** What a Python that uses such a folder is started with. */
export const pythonEnvironment = (folder: string) => ({
  PATH: process.env.PATH ?? '',
  PYTHONPATH: folder,
  PYTHONDONTWRITEBYTECODE: '1',
});

/** A folder is there as a whole or not at all, also when another process installs at the same time. */
async function install(folder: string, pipArguments: string[]): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const partial = await mkdtemp(`${folder}-`);
  try {
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', partial, ...pipArguments]);
    await rename(partial, folder).catch(error => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
