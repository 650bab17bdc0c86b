import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { writeAtomically } from './write-file.ts';

/**
 * Adds a file to the nearest `.gitignore`, unless one ignores the file already. Looks in the file's folder and its parents up to
 * the root of its repository, which gets one where there is none; outside a repository none is made. Returns the path of the
 * `.gitignore`, or null.
 * @throws {CommandError} when it can't be written
 */
export async function ignoreFile(folder: string, name: string): Promise<string | null> {
  const { paths, root } = ignoreFilesFor(folder);
  const texts = await Promise.all(paths.map(path => readFile(path, 'utf8')));
  const [nearest] = paths;
  const isDone = texts.some((text, i) => isIgnored(text, name, dirname(paths[i]!) === resolve(folder)));
  if (isDone) return null;
  if (nearest === undefined) {
    if (root === null) return null;
    const made = join(root, '.gitignore');
    await writeAtomically(made, `${name}\n`, 0o644);
    return made;
  }
  // The target of a symbolic link, with its present rights.
  const path = await realpath(nearest);
  await writeAtomically(path, withLine(texts[0]!, name), (await stat(path)).mode & 0o777);
  return nearest;
}

/**
 * Returns the `.gitignore` files that apply to a folder, nearest first, and the root of its repository; outside a repository
 * only its own, and null.
 */
function ignoreFilesFor(folder: string): { paths: string[]; root: string | null } {
  const folders = [resolve(folder)];
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
  const paths = folders.map(path => join(path, '.gitignore')).filter(path => existsSync(path));
  return { paths, root: isInRepository ? folders.at(-1)! : null };
}

/**
 * Returns whether a pattern names the file; the last matching pattern counts. Patterns that contain folders are not
 * examined, and one that begins with a slash applies only in its own folder.
 */
function isIgnored(text: string, name: string, isBeside: boolean): boolean {
  const patterns = text.split(/\r?\n/).map(line => line.replace(/(?<!\\)\s+$/, ''));
  const last = patterns.findLast(pattern => matches(pattern.replace(/^!/, ''), name, isBeside));
  return last !== undefined && !last.startsWith('!');
}

function matches(pattern: string, name: string, isBeside: boolean): boolean {
  if (pattern.startsWith('/') && !isBeside) return false;
  const plain = pattern.replace(/^(?:\*\*)?\//, '');
  if (plain === '' || plain.startsWith('#') || plain.includes('/')) return false;
  const source = plain
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  try {
    return new RegExp(`^${source}$`).test(name);
  } catch {
    // An invalid character set.
    return false;
  }
}

/** Returns the text with another line, in the line ends of the text. */
function withLine(text: string, line: string): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : end;
  return `${text}${gap}${line}${end}`;
}
