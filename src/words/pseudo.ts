import { once } from '../lazily.ts';
import type { Catalogue } from './catalogue.ts';
import type { Parsed, Tree } from './message.ts';
import type { Language } from './words.ts';

const accented: Record<string, string> = {
  ...{
    a: 'á',
    b: 'ƀ',
    c: 'ç',
    d: 'đ',
    e: 'é',
    g: 'ĝ',
    h: 'ĥ',
    i: 'í',
    j: 'ĵ',
    k: 'ķ',
    l: 'ł',
    n: 'ñ',
    o: 'ö',
  },
  ...{
    r: 'ŕ',
    s: 'š',
    t: 'ţ',
    u: 'ü',
    w: 'ŵ',
    y: 'ý',
    z: 'ž',
    A: 'Å',
    C: 'Ç',
    E: 'É',
    I: 'Î',
    N: 'Ñ',
    O: 'Ö',
  },
};

/** Returns a text with accents, and longer by two fifths, as translations may be. */
const stretched = (text: string): string => {
  const letters = text.replace(/[a-zA-Z]/g, letter => accented[letter] ?? letter);
  return letters.replace(/\p{L}{5,}/gu, word => `${word}${'~'.repeat(Math.ceil(word.length * 0.4))}`);
};

const inTree = (tree: Tree): Tree =>
  tree.map(element => {
    if ('children' in element) return { ...element, children: inTree(element.children) };
    if ('options' in element) {
      const options = Object.entries(element.options).map(([key, option]) => [
        key,
        { ...option, value: inTree(option.value) },
      ]);
      return { ...element, options: Object.fromEntries(options) };
    }
    return 'value' in element && element.type === 0
      ? { ...element, value: stretched(element.value) }
      : element;
  });

const literal = (value: string): Tree[number] => ({ type: 0, value });

/** Returns a message in brackets, so that what is not in brackets was not taken from the catalogue. */
const pseudo = (message: Parsed): Parsed =>
  typeof message === 'string' ? `⟦${stretched(message)}⟧` : [literal('⟦'), ...inTree(message), literal('⟧')];

/** English with accents, in brackets, and longer. */
export const pseudoTag = 'en-XA';

/** Returns messages of English in the pseudo-language. */
export const pseudoOf = (english: Language): Language => ({
  locale: pseudoTag,
  messages: once(
    (): Catalogue =>
      Object.fromEntries(Object.entries(english.messages()).map(([id, message]) => [id, pseudo(message)])),
  ),
});
