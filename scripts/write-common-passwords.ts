// Writes data/common-passwords.br, the passwords that `password_blocklist` refuses: the frequency list of the package
// @zxcvbn-ts/language-common, as lines in lower case, sorted and compressed. NOTICE.md names source and licence.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { dictionary } from '@zxcvbn-ts/language-common';
import { folded } from '../src/passwords/own-words.ts';
import { isPattern } from '../src/passwords/patterns.ts';

/** Shorter ones are refused for their length. */
const shortest = 8;

/** As frequent as those of the list, which leaves out what its own package recognises as walks on a keyboard. */
const walks = [
  ...['1234567890-', '0987654321q', '987654321q', '1357913579', '00001111', '123456789123456789'],
  ...['poiuytre', 'poiuytrewq', 'lkjhgfds', 'lkjhgfdsa', 'mnbvcxz1', 'qwertzui', 'qwertzuiop', 'azertyuiop'],
];

const words = new Set([...dictionary['passwords-common'], ...walks].map(folded));
const listed = [...words].filter(word => [...word].length >= shortest && !isPattern(word)).sort();
const text = listed.map(word => `${word}\n`).join('');
const file = join(import.meta.dirname, '../data/common-passwords.br');
writeFileSync(
  file,
  brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    },
  }),
);
console.log(`${listed.length} passwords were written to data/common-passwords.br.`);
