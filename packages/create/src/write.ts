import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ProjectFile } from './project.ts';
import { Refusal } from './refusal.ts';
import { problemWith } from './target.ts';

/**
 * Writes all files, or none: they are written beside their place and moved there at the end. A folder that exists must be empty.
 * @throws {Refusal} where the folder is not empty, or where it cannot be written; then nothing of this is left
 */
export async function writeProject(target: string, files: ProjectFile[]): Promise<void> {
  const problem = problemWith(target);
  if (problem) throw new Refusal(problem);
  const place = resolve(target);
  const isNew = !existsSync(place);
  // Inside of a folder that exists, because the one above it may belong to others.
  const staged = isNew ? `${place}.${randomUUID()}` : join(place, `.${randomUUID()}`);
  const moved: string[] = [];
  let above: string | undefined;
  try {
    above = await mkdir(dirname(staged), { recursive: true });
    await mkdir(staged);
    for (const file of files) await writeFile(staged, file);
    if (isNew) await rename(staged, place);
    else {
      for (const name of await readdir(staged)) {
        await rename(join(staged, name), join(place, name));
        moved.push(join(place, name));
      }
      await rmdir(staged);
    }
  } catch (error) {
    for (const path of [staged, ...moved, ...(above ? [above] : [])])
      await rm(path, { recursive: true, force: true }).catch(() => {});
    throw new Refusal(
      `The folder ${target} can't be written (${(error as NodeJS.ErrnoException).code}). Nothing of it was kept.`,
    );
  }
}

async function writeFile(folder: string, { path, content, mode }: ProjectFile): Promise<void> {
  await mkdir(join(folder, dirname(path)), { recursive: true });
  // The mode applies from the first byte on, so a secret is never readable by others, not even for a moment.
  const file = await open(join(folder, path), 'wx', mode ?? 0o666);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}
