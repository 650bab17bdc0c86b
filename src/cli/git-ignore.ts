import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { withLines } from './lines.ts';
import { writeAtomically } from './write-file.ts';

const ignoreFile = '.gitignore';

interface IgnoreFile {
  folder: string;
  text: string;
}

/** A file that git is to ignore, with those beside it whose names are its own and an ending. */
export interface Ignored {
  path: string;
  endings?: readonly string[];
}

/**
 * Adds files to the nearest `.gitignore` of each, unless one ignores them already: a `.gitignore` of the file's folder or of a
 * parent up to the root of the repository, which gets one where there is none. Outside the repository of the first file
 * nothing is added. Returns the lines that were added, by the path of the `.gitignore`.
 * @throws {CommandError} when one can't be written
 */
export async function ignoreFiles(files: readonly Ignored[]): Promise<Map<string, string[]>> {
  const added = new Map<string, string[]>();
  const places = files.map(({ path }) => placeOf(dirname(resolve(path))));
  for (const [i, { path, endings = [] }] of files.entries()) {
    const { folders, root, isInRepository } = places[i]!;
    if (root !== places[0]!.root) continue;
    const ignoring = await Promise.all(folders.map(read));
    if (['', ...endings].every(ending => isIgnored(resolve(path) + ending, ignoring))) continue;
    if (folders.length === 0 && !isInRepository) continue;
    const folder = folders[0] ?? root;
    // A character that has a meaning in patterns is written as any one.
    const line = basename(path).replace(/[\\*?[\]!# ]/g, '?') + (endings.length > 0 ? '*' : '');
    const file = join(folder, ignoreFile);
    added.set(file, [...(added.get(file) ?? []), line]);
  }
  for (const [path, lines] of added) await append(path, lines);
  return added;
}

const read = async (folder: string): Promise<IgnoreFile> => ({
  folder,
  text: await readFile(join(folder, ignoreFile), 'utf8'),
});

async function append(path: string, lines: readonly string[]): Promise<void> {
  if (!existsSync(path)) return writeAtomically(path, withLines('', lines), 0o644);
  // The target of a symbolic link, with its present rights.
  const real = await realpath(path);
  await writeAtomically(
    real,
    withLines(await readFile(real, 'utf8'), lines),
    (await stat(real)).mode & 0o777,
  );
}

/** Where a file is ignored. */
interface Place {
  /** The folders with a `.gitignore` that applies, nearest first. */
  folders: string[];
  /** That of the repository; outside of one, the folder itself, whose `.gitignore` alone applies. */
  root: string;
  isInRepository: boolean;
}

function placeOf(folder: string): Place {
  const folders = [folder];
  let isInRepository = true;
  while (!existsSync(join(folders.at(-1)!, '.git'))) {
    const above = dirname(folders.at(-1)!);
    if (above === folders.at(-1)) {
      folders.length = 1;
      isInRepository = false;
      break;
    }
    folders.push(above);
  }
  const root = folders.at(-1)!;
  return { folders: folders.filter(each => existsSync(join(each, ignoreFile))), root, isInRepository };
}

/** Returns whether a file is ignored, or a folder that it is in; the nearest `.gitignore` that names it counts. */
function isIgnored(path: string, ignoring: readonly IgnoreFile[]): boolean {
  const top = ignoring.at(-1)?.folder ?? dirname(path);
  const names = relative(top, path).split(sep);
  return names.some((_, i) => {
    const isFolder = i < names.length - 1;
    const inside = join(top, ...names.slice(0, i + 1));
    return ignoring.map(file => verdictOf(file, inside, isFolder)).find(verdict => verdict !== null) ?? false;
  });
}

/** Returns whether the last pattern that names a file or a folder ignores it; null where none names it. */
function verdictOf({ folder, text }: IgnoreFile, path: string, isFolder: boolean): boolean | null {
  const inside = relative(folder, path).split(sep).join('/');
  const patterns = text.split(/\r?\n/).map(line => line.replace(/(?<!\\)\s+$/, ''));
  const last = patterns.findLast(pattern => matches(pattern.replace(/^!/, ''), inside, isFolder));
  return last === undefined ? null : !last.startsWith('!');
}

/** Returns whether a pattern names a path; one with a slash before its end begins in the folder of its `.gitignore`. */
function matches(pattern: string, path: string, isFolder: boolean): boolean {
  const plain = pattern.replace(/\/$/, '');
  if (plain === '' || plain.startsWith('#') || (plain !== pattern && !isFolder)) return false;
  const source = `${plain.includes('/') ? '' : '**/'}${plain.replace(/^\//, '')}`
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*\*\/|\*+|\?/g, wild => ({ '**/': '(?:.*/)?', '?': '[^/]' })[wild] ?? '[^/]*');
  try {
    return new RegExp(`^${source}$`).test(path);
  } catch {
    // An invalid character set.
    return false;
  }
}
