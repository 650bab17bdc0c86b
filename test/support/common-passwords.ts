import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/** Returns every line of the list that the package ships. */
export async function readCommonList(): Promise<string[]> {
  const file = join(import.meta.dirname, '../../data/common-passwords.br');
  return brotliDecompressSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n');
}
