import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from './errors.ts';

/**
 * Replaces a file as a whole: a process that is killed in between leaves the old file. The mode applies from the first
 * byte on, so a secret is never readable by others, not even for a moment.
 * @throws {CommandError} that names the file that could not be written
 */
export async function writeAtomically(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      // The umask may have removed rights from the mode.
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw new CommandError(`${path} can't be written (${(error as NodeJS.ErrnoException).code}).`);
  }
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}
