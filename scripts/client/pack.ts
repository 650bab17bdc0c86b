// Makes the table of operations small: the client may have 8 kB gzipped, and a table repeats itself.

/**
 * What may stand for a longer text, where the text does not have it. None of it has a meaning in a template literal, nor
 * after the separator of words.
 */
const symbols = [
  ...'!"#%&\'()*+,;<=>@[]^_|~?:/.-}0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
];
const longestWord = 200;
/** What separates words; the table has none. */
const separator = '$';

/** A text in which symbols stand for words. */
export interface Packed {
  text: string;
  /**
   * For each symbol: the symbol, and what it stands for. A word may contain the symbols of later ones, also as
   * themselves: each undoes one replacement in a text that did not have its symbol.
   */
  words: string;
}

/** Replaces what occurs most often, as long as that makes the whole shorter. */
export function pack(whole: string): Packed {
  const words: string[] = [];
  let text = whole;
  for (;;) {
    const symbol = symbols.find(each => !text.includes(each));
    const word = symbol && bestWord(text);
    if (!word) break;
    text = text.replaceAll(word, symbol);
    words.unshift(symbol + word);
  }
  return { text, words: words.join(separator) };
}

/** Returns the text whose replacement saves most, or null if none saves anything. */
function bestWord(text: string): string | null {
  const savings = new Map<string, number>();
  for (let from = 0; from < text.length; from++) {
    for (let length = 2; length <= longestWord; length++) {
      const word = text.slice(from, from + length);
      if (word.length < length) break;
      if (savings.has(word)) continue;
      const count = text.split(word).length - 1;
      if (count < 2) break;
      // The list of words holds the word, the symbol and a separator.
      savings.set(word, count * (length - 1) - length - 2);
    }
  }
  const [best] = [...savings].toSorted(([, a], [, b]) => b - a);
  return best && best[1] > 0 ? best[0] : null;
}
