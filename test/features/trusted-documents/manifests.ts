import { createHash } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Writes a manifest of these documents into a folder of its own, and returns its path. */
export async function manifestOf(...documents: string[]): Promise<string> {
  const path = join(await mkdtemp(join(inject('temporaryFolder'), 'documents-')), 'documents.json');
  await writeFile(path, JSON.stringify(Object.fromEntries(documents.map(text => [sha256(text), text]))));
  return path;
}
