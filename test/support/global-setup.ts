import type { TestProject } from 'vitest/node';
import { findChromium } from './chromium.ts';
import { findFido2 } from './foreign-passkey.ts';
import { findPgbouncer } from './pgbouncer.ts';
import { findProxy, type ProxyName, proxyNames } from './proxies.ts';
import { findRedis } from './redis-binary.ts';
import { type ServerHandle, startMongo, startPostgres } from './servers.ts';
import { watchedFolder } from './watched-folder.ts';

/** A server that all tests of a run share, or why there is none. */
export type SharedServer = { url: string } | { reason: string };

/** A program that tests run for themselves, or why there is none. */
export type FoundProgram = { path: string } | { reason: string };

/** The backends that need a server. */
export type ServerName = 'postgresql' | 'mongodb' | 'mongodb-replica';

declare module 'vitest' {
  interface ProvidedContext {
    servers: Record<ServerName, SharedServer>;
    /** The browser of this run. */
    chromium: FoundProgram;
    /** The program of the Redis servers, which no two test files share. */
    redis: FoundProgram;
    /** The connection pooler, which only distributions have. */
    pgbouncer: FoundProgram;
    /** The folder of Python packages that stands in for a foreign passkey. */
    fido2: FoundProgram;
    /** What stands before the service in production; only the tests of those files need them. */
    proxies: Record<ProxyName, FoundProgram>;
    /** A folder that lasts as long as the run. */
    temporaryFolder: string;
  }
}

/** Starts the shared servers, tells the tests where they are, and gives back what ends them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await watchedFolder('tests');
  const started: ServerHandle[] = [];
  const teardown = async () => {
    await Promise.all([folder, ...started].map(each => each.close()));
  };

  const share = async (
    given: string | undefined,
    start: () => Promise<ServerHandle>,
  ): Promise<SharedServer> => {
    if (given) return { url: given };
    try {
      const server = await start();
      started.push(server);
      return { url: server.url };
    } catch (error) {
      return { reason: (error as Error).message };
    }
  };
  const { POSTGRES_TEST_URL: postgresUrl, MONGODB_TEST_URL: mongoUrl } = process.env;
  const isReplica = mongoUrl?.includes('replicaSet=');
  const [postgresql, mongodb, replica, chromium, redis, pgbouncer, fido2] = await Promise.all([
    share(postgresUrl, startPostgres),
    share(isReplica ? undefined : mongoUrl, startMongo),
    share(isReplica ? mongoUrl : undefined, () => startMongo({ replicaSet: true })),
    pathOrReason(findChromium()),
    pathOrReason(findRedis()),
    pathOrReason(findPgbouncer()),
    pathOrReason(findFido2()),
  ]);
  const servers = { postgresql, mongodb, 'mongodb-replica': replica };

  const missing = Object.entries({ ...servers, chromium, redis }).filter(([, part]) => 'reason' in part);
  if (missing.length > 0 && isContinuousIntegration()) {
    await teardown();
    throw new Error(
      `CI is set and not everything that the tests need can be had: ${JSON.stringify(Object.fromEntries(missing))}`,
    );
  }
  project.provide('servers', servers);
  project.provide('chromium', chromium);
  project.provide('redis', redis);
  project.provide('pgbouncer', pgbouncer);
  project.provide('fido2', fido2);
  const found = proxyNames.map(async name => [name, await pathOrReason(findProxy(name))] as const);
  const proxies = Object.fromEntries(await Promise.all(found)) as Record<ProxyName, FoundProgram>;
  project.provide('proxies', proxies);
  project.provide('temporaryFolder', folder.path);
  return teardown;
}

function pathOrReason(search: Promise<string>): Promise<FoundProgram> {
  return search.then(
    path => ({ path }),
    (error: Error) => ({ reason: error.message }),
  );
}

function isContinuousIntegration(): boolean {
  return !['', '0', 'false'].includes(process.env.CI ?? '');
}
