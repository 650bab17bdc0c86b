import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { lazily } from '../lazily.ts';
import { packageFile } from '../package-files.ts';
import { isPattern } from './patterns.ts';

/** Written by scripts/write-common-passwords.ts. */
const file = packageFile('data/common-passwords.br');

/**
 * Returns a function that tells whether a password, folded, is one of the most common ones. The list is read at the first
 * call and kept as one text of a byte per character: searching it takes a hundredth of the time of a password hash.
 */
export function createCommonPasswords(): (word: string) => Promise<boolean> {
  const readList = lazily(async () => {
    const lines = await promisify(brotliDecompress)(await readFile(file));
    return `\n${lines.toString('latin1')}`;
  });
  return async word =>
    isPattern(word) || (!word.includes('\n') && (await readList()).includes(`\n${word}\n`));
}
