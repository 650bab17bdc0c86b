import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { resolve } from 'node:path';

/**
 * Has V8 keep the code that it compiles for a start, and read it at the next one. The folder is within the package and not
 * below the temporary folder, where any user could prepare it. It is for its owner alone, whatever the umask is. Nothing is
 * kept in a folder that this user can't make, that another user owns, or that others may write.
 */
export function keepCompiledCode(path: string): void {
  // NODE_COMPILE_CACHE has named another folder.
  if (getCompileCacheDir() !== undefined || process.env.NODE_DISABLE_COMPILE_CACHE) return;
  // Node leaves out `..` before it opens the folder, and the system follows links first.
  const folder = resolve(path);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there, or this user may not make it.
  }
  if (isOwn(folder)) enableCompileCache(folder);
}

/** Returns whether this user alone decides about the content of a folder. Windows has no modes; there it is as its parent is. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}
