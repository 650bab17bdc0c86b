import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { writeAtomically } from './write-file.ts';

/**
 * Adds a file to the nearest `.gitignore`, if there is one and none ignores the file yet. Looks in the file's folder and
 * its parents up to the root of its repository. Returns the path of the changed `.gitignore`, or null.
 * @throws {CommandError} when it can't be written
 */
export async function ignoreFile(folder: string, name: string): Promise<string | null> {
  const paths = ignoreFilesFor(folder);
  const texts = await Promise.all(paths.map(path => readFile(path, 'utf8')));
  const [nearest] = paths;
  const isDone = texts.some((text, i) => isIgnored(text, name, dirname(paths[i]!) === resolve(folder)));
  if (nearest === undefined || isDone) return null;
  // The target of a symbolic link, with its present rights.
  const path = await realpath(nearest);
  await writeAtomically(path, withLine(texts[0]!, name), (await stat(path)).mode & 0o777);
  return nearest;
}

/** Returns the `.gitignore` files that apply to a folder, nearest first; outside a repository only its own. */
function ignoreFilesFor(folder: string): string[] {
  const folders = [resolve(folder)];
  while (!existsSync(join(folders.at(-1)!, '.git'))) {
    const above = dirname(folders.at(-1)!);
    if (above === folders.at(-1)) {
      folders.length = 1;
      break;
    }
    folders.push(above);
  }
  return folders.map(path => join(path, '.gitignore')).filter(path => existsSync(path));
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
