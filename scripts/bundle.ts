// Bundles our own code, so that a start reads a few files in place of some hundreds. Packages of others stay packages: an
// application's `npm audit` sees them, and its updates reach them.
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');

/** The modules that an application imports by itself, or starts. */
const entries = {
  index: 'src/index.ts',
  'testing/index': 'src/testing/index.ts',
  'cli/main': 'src/cli/main.ts',
  // A thread finds it beside the file that starts it.
  'sqlite-write-back-worker': 'src/storage/sqlite-write-back-worker.ts',
};

/** An application imports it in every runtime, so it shares no file with the others, which need Node. */
const elsewhere = { 'verify/index': 'src/verify/index.ts' };

const isOwn = (id: string) => id.startsWith('.') || id.startsWith(root);

/** Writes the entry points and their common parts into a folder, with maps that lead to the sources in the package. */
export async function bundle(dist: string): Promise<void> {
  await write(dist, entries, 'node');
  await write(dist, elsewhere, 'neutral');
}

async function write(
  dist: string,
  input: Record<string, string>,
  platform: 'node' | 'neutral',
): Promise<void> {
  await using build = await rolldown({
    ...{ cwd: root, input, platform },
    external: id => !isOwn(id) && id !== '' && !Object.values(input).includes(id),
  });
  await build.write({
    dir: dist,
    format: 'esm',
    chunkFileNames: 'part-[name].js',
    sourcemap: true,
    sourcemapExcludeSources: true,
    // In the package `dist` stands beside `src`, wherever it was built.
    sourcemapPathTransform: (source, map) =>
      join(relative(dirname(map), dist), '..', relative(root, resolve(dirname(map), source))),
  });
}
