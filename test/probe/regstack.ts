import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The probe, and the HTTP client that it needs and does not ask for. */
const packages = ['regstack==0.9.3', 'httpx==0.28.1'];

/** Runs RegStack's published probe with these arguments, or says why it cannot be had. */
export type Regstack = ((args: string[]) => Promise<{ code: number; output: string }>) | { reason: string };

/** Finds the probe, fetching it when it is not there yet: one folder for each version of Python, shared by all runs. */
export async function findRegstack(): Promise<Regstack> {
  try {
    const { stdout: version } = await run('python3', [
      '-c',
      'import sys; print(sys.implementation.cache_tag)',
    ]);
    const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gatehouse');
    const folder = join(cache, `regstack-0.9.3-${version.trim()}`);
    const isThere = await access(folder).then(
      () => true,
      () => false,
    );
    if (!isThere) await install(cache, folder);
    return args => probe(folder, args);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return { reason: (stderr || message).trim().split('\n').at(-1)! };
  }
}

/** A folder is there as a whole or not at all, whoever else installs at the same time. */
async function install(cache: string, folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(`${folder}-`);
  try {
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', partial, ...packages]);
    await rename(partial, folder).catch(error => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

function probe(folder: string, args: string[]): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env.PATH ?? '', PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
  return new Promise(resolve => {
    execFile('python3', ['-m', 'regstack.cli', 'validate', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}
