import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { writePagesScripts } from '../../scripts/pages-scripts.ts';
import { dropDatabases } from './admin.ts';
import { findChromium } from './chromium.ts';
import { findFido2 } from './foreign-passkey.ts';
import { findPgbouncer } from './pgbouncer.ts';
import type { PartName, ProgramName, ProjectName, ServerName, Tier } from './projects.ts';
import { findProxy } from './proxies.ts';
import { findRedis } from './redis-binary.ts';
import { type ServerHandle, startMongo, startPostgres } from './servers.ts';
import { watchedFolder } from './watched-folder.ts';

/** A server that all tests of a run share, or why there is none. */
export type SharedServer = { url: string } | { reason: string };

/** A program that tests run for themselves, or why there is none. */
export type FoundProgram = { path: string } | { reason: string };

/** What the projects of a run need, as far as it has been started or found: `needed` reads it. */
type Parts = { [name in ServerName]?: SharedServer } & { [name in ProgramName]?: FoundProgram };

declare module 'vitest' {
  interface ProvidedContext {
    /** The project of a test file. */
    project: ProjectName;
    /** How much this run tests. */
    tier: Tier;
    /** What the project may use in this run. */
    needs: PartName[];
    parts: Parts;
    /** A folder that lasts as long as the run. */
    temporaryFolder: string;
    /** The names of databases that this run makes on servers begin with it. */
    databasePrefix: string;
  }
}

/** Starts or finds a part; `end` gives a server back. */
type Source = () => Promise<{ part: SharedServer | FoundProgram; end?: () => Promise<void> }>;

const sources: Record<PartName, Source> = {
  postgresql: () => server(process.env.POSTGRES_TEST_URL, startPostgres),
  mongodb: () => server(mongoUrl({ isReplica: false }), startMongo),
  'mongodb-replica': () => server(mongoUrl({ isReplica: true }), () => startMongo({ replicaSet: true })),
  chromium: () => program(findChromium()),
  redis: () => program(findRedis()),
  pgbouncer: () => program(findPgbouncer()),
  fido2: () => program(findFido2()),
  nginx: () => program(findProxy('nginx')),
  haproxy: () => program(findProxy('haproxy')),
  caddy: () => program(findProxy('caddy')),
};

const databasePrefix = `test_${randomBytes(4).toString('hex')}_`;

/** Programs without an npm package or wheel for every system. */
const optional: PartName[] = ['pgbouncer', 'fido2', 'nginx', 'haproxy', 'caddy'];

/**
 * Starts what a project needs and no project before it did, tells the tests where it is, and gives back what ends it. Vitest
 * asks one project after the other, and only those whose tests run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const ends: (() => Promise<void>)[] = [];
  const teardown = async () => {
    await Promise.all(ends.map(end => end()));
  };

  // Every project has the settings of the root.
  const root = project.vitest.getRootProject();
  const { parts = {}, temporaryFolder } = root.getProvidedContext();
  const { needs } = project.getProvidedContext();
  if (!temporaryFolder) {
    await writePagesScripts();
    const folder = await watchedFolder('tests');
    ends.push(() => folder.close());
    root.provide('temporaryFolder', folder.path);
    root.provide('databasePrefix', databasePrefix);
  }
  const started = needs
    .filter(name => !(name in parts))
    .map(async name => {
      const { part, end } = await sources[name]();
      if (end) ends.push(end);
      return [name, part] as const;
    });
  const added: Parts = Object.fromEntries(await Promise.all(started));
  root.provide('parts', { ...parts, ...added });

  const missing = Object.entries(added).filter(
    ([name, part]) => 'reason' in part && !optional.includes(name as PartName),
  );
  if (missing.length > 0 && isContinuousIntegration()) {
    await teardown();
    throw new Error(
      `CI is set and not everything that the tests need can be had: ${JSON.stringify(Object.fromEntries(missing))}`,
    );
  }
  return teardown;
}

async function server(given: string | undefined, start: () => Promise<ServerHandle>): ReturnType<Source> {
  if (given) return { part: { url: given }, end: () => dropDatabases(given, databasePrefix) };
  try {
    const handle = await start();
    return { part: { url: handle.url }, end: () => handle.close() };
  } catch (error) {
    return { part: { reason: (error as Error).message } };
  }
}

/** The server of MONGODB_TEST_URL, when it is of this kind. */
function mongoUrl({ isReplica }: { isReplica: boolean }): string | undefined {
  const url = process.env.MONGODB_TEST_URL;
  return url?.includes('replicaSet=') === isReplica ? url : undefined;
}

function program(search: Promise<string>): ReturnType<Source> {
  return search.then(
    path => ({ part: { path } }),
    (error: Error) => ({ part: { reason: error.message } }),
  );
}

function isContinuousIntegration(): boolean {
  return !['', '0', 'false'].includes(process.env.CI ?? '');
}
