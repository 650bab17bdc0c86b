import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The end of the name of a file that takes the place of another one. */
export const freshEnd = '.new';

/** Writes a file in place of another one at once: a process that reads it meanwhile gets one of them whole. */
export function replaceFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}${freshEnd}`;
  writeFileSync(fresh, content);
  renameSync(fresh, path);
}
