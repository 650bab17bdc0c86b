import { mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { inject, vi } from 'vitest';
import { lazily } from '../../src/lazily.ts';
import { hashCost } from './hashing.ts';

const root = join(import.meta.dirname, '../..');

/** What is started, by its place in the built package. */
const programs = {
  svc: 'cli/main',
  'durable-host': 'durable-host',
} as const;

/** What `svc` is made of: a thread finds its own file beside the one that starts it. */
const svc = {
  [programs.svc]: 'src/cli/main.ts',
  'sqlite-write-back-worker': 'src/storage/sqlite-write-back-worker.ts',
};

/** Where this is, everything is. */
const lastPart = 'package.json';

/** Has a password hash cost next to nothing. No setting does so, because no deployment should. */
const cheapHashing: Plugin = {
  name: 'cheap-hashing',
  load: id =>
    id.endsWith('/src/crypto/hash-cost.ts')
      ? `export { cheapHash as owasp } from '../testing/cheap-hash.ts';`
      : null,
};

interface Built {
  /** The repository of the version. */
  from: string;
  /** The files of programs, by their names. */
  input?: Record<string, string>;
  plugins?: Plugin[];
}

/** Writes programs of a version into `dist` of a folder as a release has them: our own code in a few files. Returns its `svc`. */
export async function build(folder: string, { from, input = svc, plugins = [] }: Built): Promise<string> {
  const isOwn = (id: string) =>
    id.startsWith('.') || id.startsWith(from) || Object.values(input).includes(id);
  await using bundle = await rolldown({
    ...{ cwd: from, input, platform: 'node', plugins },
    external: id => !isOwn(id),
  });
  const dir = join(folder, 'dist');
  await bundle.write({ dir, format: 'esm', chunkFileNames: 'part-[name].js' });
  return join(dir, `${programs.svc}.js`);
}

async function buildPresent(folder: string): Promise<void> {
  const input = { ...svc, [programs['durable-host']]: 'test/faults/durable-host.ts' };
  await build(folder, { from: root, input, plugins: hashCost() ? [cheapHashing] : [] });
  for (const name of ['data', 'locales', 'node_modules', 'static', 'views', lastPart])
    await symlink(join(root, name), join(folder, name));
}

const builtFolder = lazily(async () => {
  const place = join(inject('temporaryFolder'), 'built');
  const isFirst = await mkdir(place).then(
    () => true,
    () => false,
  );
  if (isFirst) await buildPresent(place);
  await vi.waitFor(() => stat(join(place, lastPart)), { timeout: 120_000, interval: 50 });
  return place;
});

/**
 * Returns a program of this version, which starts in two thirds of the time that its sources take. It is built once a run of
 * the tests, for whichever file of tests asks first; the others wait for it.
 */
export const built = async (program: keyof typeof programs): Promise<string> =>
  join(await builtFolder(), 'dist', `${programs[program]}.js`);
