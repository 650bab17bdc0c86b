// Bundles what the package runs on a server: one file for what is loaded together, in place of a thousand modules.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const sources = join(root, 'src');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What an application imports by itself, or starts. */
const entries = {
  index: 'src/index.ts',
  'testing/index': 'src/testing/index.ts',
  'cli/main': 'src/cli/main.ts',
  // A thread finds it beside the file that starts it.
  'sqlite-write-back-worker': 'src/storage/sqlite-write-back-worker.ts',
};

/** Installed for the types that the declarations name; its code is bundled all the same. */
const forTypes = 'zod';

/** What is installed beside the package: its dependencies and its optional peers. Everything else is bundled. */
const installed: string[] = [
  ...Object.keys(manifest.dependencies).filter(name => name !== forTypes),
  ...Object.keys(manifest.peerDependencies),
  // The ORM finds entities in folders with it; ours are listed.
  'tinyglobby',
  // For `--dev` alone, and only where a host has it.
  '@graphql-yoga/render-graphiql',
];
const isPartOf = (id: string, name: string) => id === name || id.startsWith(`${name}/`);

/** The ORM and what it builds statements with. */
const isOrm = (id: string) => isPartOf(id, 'kysely') || id.startsWith('@mikro-orm/');
/** A module that the build has twice is marked with this where it has the bundled ORM. */
const mark = '?sqlite';

/** Returns the modules that run ORM code, themselves or by what they import. */
function modulesOverOrm(): Set<string> {
  const imports = new Map(
    globSync('**/*.ts', { cwd: sources }).map(name => {
      const file = join(sources, name);
      const text = readFileSync(file, 'utf8');
      const found = text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';$/gm);
      return [file, [...found].map(([, id]) => (id!.startsWith('.') ? join(dirname(file), id!) : id!))];
    }),
  );
  const over = new Set<string>();
  let known = -1;
  while (over.size > known) {
    known = over.size;
    for (const [file, ids] of imports) if (ids.some(id => isOrm(id) || over.has(id))) over.add(file);
  }
  return over;
}

/**
 * SQLite gets the ORM within the bundle, which takes a third of the start away. The optional packages for PostgreSQL and
 * MongoDB bring their own adapters to the installed ORM, so these two use that one, by their own copy of the entities.
 */
function ormTwice(): Plugin {
  const over = modulesOverOrm();
  const sqliteOrm = join(sources, 'storage/sqlite-orm.ts');
  return {
    name: 'orm-twice',
    resolveId: {
      order: 'pre',
      async handler(id, importer) {
        const isMarked = importer?.endsWith(mark) ?? false;
        if (isOrm(id)) {
          const isInstalled = importer?.startsWith(sources) && !isMarked;
          return isInstalled ? { id, external: true } : null;
        }
        if (!importer?.startsWith(sources) || !id.startsWith('.')) return null;
        const file = join(dirname(importer), id);
        return file === sqliteOrm || (isMarked && over.has(file)) ? file + mark : file;
      },
    },
    load: id =>
      id.endsWith(mark) ? { code: readFileSync(id.slice(0, -mark.length), 'utf8'), moduleType: 'ts' } : null,
  };
}

/** Bodies are read as bytes, so raw-body never asks for a character set; the tables of all of them are left out. */
const withoutCharacterSets: Plugin = {
  name: 'without-character-sets',
  load: id => (/\/node_modules\/iconv-lite\/lib\/index\.js$/.test(id) ? 'module.exports = {};' : null),
};

const open = () =>
  rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    external: id => installed.some(name => isPartOf(id, name) && !isOrm(name)),
    plugins: [ormTwice(), withoutCharacterSets],
  });

/** Writes the entry points and their common parts into a folder. */
export async function bundle(dist: string): Promise<void> {
  await using build = await open();
  await build.write({
    dir: dist,
    format: 'esm',
    chunkFileNames: 'part-[name].js',
    comments: false,
    // Names stay, so that a stack trace tells where it comes from.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
}

/** Returns the packages whose code is in the bundle: `node_modules/zod`, as the lock file names them. */
export async function bundledPackages(): Promise<string[]> {
  await using build = await open();
  const { output } = await build.generate({ format: 'esm' });
  const modules = output.flatMap(each => (each.type === 'chunk' ? Object.entries(each.modules) : []));
  const used = modules.filter(([, { renderedLength }]) => renderedLength > 0);
  const paths = used.flatMap(
    ([id]) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [],
  );
  return [...new Set(paths)].sort();
}
