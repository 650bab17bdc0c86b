import { mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { inject, vi } from 'vitest';
import { lazily } from '../../src/lazily.ts';
import { hashCost } from './hashing.ts';

const root = join(import.meta.dirname, '../..');

/** What is started, by its place in the built package. */
const programs = {
  svc: 'cli/main',
  'durable-host': 'durable-host',
} as const;

const input = {
  [programs.svc]: 'src/cli/main.ts',
  [programs['durable-host']]: 'test/faults/durable-host.ts',
  // A thread finds it beside the file that starts it.
  'sqlite-write-back-worker': 'src/storage/sqlite-write-back-worker.ts',
};

/** Where this is, everything is. */
const lastPart = 'package.json';

const isOwn = (id: string) => id.startsWith('.') || id.startsWith(root);

/** Writes the programs of this version into a folder as a release has them: our own code in a few files. */
async function build(folder: string): Promise<void> {
  const cheap = {
    name: 'cheap-hash',
    // No setting does so, because no deployment should.
    load: (id: string) =>
      id.endsWith('/src/crypto/hash-cost.ts') && hashCost()
        ? `export { cheapHash as owasp } from '../testing/cheap-hash.ts';`
        : null,
  };
  await using bundle = await rolldown({
    ...{ cwd: root, input, platform: 'node', plugins: [cheap] },
    external: id => !isOwn(id) && !Object.values(input).includes(id),
  });
  await bundle.write({ dir: join(folder, 'dist'), format: 'esm', chunkFileNames: 'part-[name].js' });
  for (const name of ['data', 'locales', 'node_modules', 'static', 'views', lastPart])
    await symlink(join(root, name), join(folder, name));
}

const builtFolder = lazily(async () => {
  const place = join(inject('temporaryFolder'), 'built');
  const isFirst = await mkdir(place).then(
    () => true,
    () => false,
  );
  if (isFirst) await build(place);
  await vi.waitFor(() => stat(join(place, lastPart)), { timeout: 120_000, interval: 50 });
  return place;
});

/**
 * Returns a program of this version, which starts in two thirds of the time that its sources take. It is built once a run of
 * the tests, for whichever file of tests asks first; the others wait for it.
 */
export const built = async (program: keyof typeof programs): Promise<string> =>
  join(await builtFolder(), 'dist', `${programs[program]}.js`);
