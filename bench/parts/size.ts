import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Part } from './part.ts';

const root = join(import.meta.dirname, '../..');

interface Lock {
  packages: Record<
    string,
    { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }
  >;
}

/** The space of an installation: a package and all that it depends on, as the lock files have them. */
export const size: Part = async () => [
  {
    title: 'Installation',
    columns: ['', 'packages', 'MiB'],
    rows: [
      ['Gatehouse, SQLite', ...measure(root, [''], ['graphql'])],
      [
        'Gatehouse, with PostgreSQL and MongoDB',
        ...measure(root, [''], ['graphql', '@mikro-orm/postgresql', '@mikro-orm/mongodb']),
      ],
      ['Better Auth, without a driver', ...measure(join(root, 'bench'), [], ['better-auth'])],
    ],
  },
];

/** The number of packages that these need, and their size on the disk in MiB. */
function measure(folder: string, roots: string[], names: string[]): [number, number] {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lock;
  const seen = new Set<string>();
  const visit = (path: string) => {
    const { dependencies, optionalDependencies } = packages[path]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) find(path, name);
  };
  const find = (from: string, name: string) => {
    // The nearest copy upwards, as Node resolves it.
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const path = `${at ? `${at}/` : ''}node_modules/${name}`;
      if (path in packages) {
        if (!seen.has(path)) {
          seen.add(path);
          visit(path);
        }
        return;
      }
      if (!at) return;
    }
  };
  for (const path of roots) visit(path);
  for (const name of names) find('', name);
  const bytes = [...seen].reduce((sum, path) => sum + sizeOf(join(folder, path)), 0);
  return [seen.size, Math.round(bytes / 2 ** 20)];
}

/** Bytes of a package's own files; a package of another platform is not there. */
function sizeOf(folder: string): number {
  let entries: Dirent[] = [];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return 0;
  }
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + sizeOf(path);
    return sum + statSync(path).size;
  }, 0);
}
