import { once } from '../../lazily.ts';

/**
 * The letters beyond ASCII that match their other case: those of Latin, Greek, Cyrillic and Armenian that SQLite's index takes
 * for the same (Unicode 6.1, to which U+037F and U+0528 to U+052F are unknown).
 */
const foldedRanges = [
  [0x80, 0x37e],
  [0x380, 0x3f2],
  [0x3f4, 0x527],
  [0x531, 0x587],
  [0x1e00, 0x1fff],
] as const;

/** Returns a letter in another case, or the same where that is no single letter beyond ASCII, as of `ß`, `İ` and `ı`. */
function otherwise(letter: string, other: string): string {
  return other.length === 1 && other > '\x7f' ? other : letter;
}

/** Returns the letter that stands for all that differ from this one in case alone: `σ` for `Σ` and `ς`. */
function folded(letter: string): string {
  const upper = otherwise(letter, letter.toUpperCase());
  return otherwise(upper, upper.toLowerCase());
}

/** Returns the forms of each letter that has several. */
const readForms = once((): Map<string, string> => {
  const groups = new Map<string, string>();
  for (const [first, last] of foldedRanges) {
    for (let code = first; code <= last; code++) {
      const letter = String.fromCharCode(code);
      if (/\p{L}/u.test(letter)) groups.set(folded(letter), (groups.get(folded(letter)) ?? '') + letter);
    }
  }
  return new Map(
    [...groups.values()].flatMap(group =>
      group.length > 1 ? [...group].map((letter): [string, string] => [letter, group]) : [],
    ),
  );
});

/** Returns the text with A to Z as a to z and every other letter unchanged: in this form texts are compared. */
export const asciiLower = (text: string) => text.replace(/[A-Z]/g, letter => letter.toLowerCase());

/** Returns the forms that each letter of a search may have in a text in the form of `asciiLower`. */
export function formsOf(text: string): string[][] {
  const letters = [...asciiLower(text)];
  if (letters.every(letter => letter <= '\x7f')) return letters.map(letter => [letter]);
  const forms = readForms();
  return letters.map(letter => [...(forms.get(letter) ?? letter)]);
}

/** Returns whether a search has a letter beyond ASCII that matches another one. */
export const hasForms = (text: string) => formsOf(text).some(letters => letters.length > 1);

/**
 * Returns a search as a pattern for texts as they are stored, in which `[ab]` matches one of these letters. `literal` makes the
 * pattern of a letter that matches itself alone.
 */
const patternOf = (text: string, literal: (letter: string) => string) =>
  formsOf(text)
    .map(([letter, ...others]) => {
      if (others.length > 0) return `[${[letter, ...others].join('')}]`;
      return /[a-z]/.test(letter!) ? `[${letter}${letter!.toUpperCase()}]` : literal(letter!);
    })
    .join('');

/** Returns a search as a regular expression, of JavaScript, PostgreSQL and MongoDB alike. */
export const regularExpressionOf = (text: string) =>
  patternOf(text, letter => letter.replace(/[\\^$.*+?()[\]{}|]/, '\\$&'));

/** Returns a search as SQLite's `glob` takes it. */
export const globOf = (text: string) => patternOf(text, letter => letter.replace(/[[*?]/, '[$&]'));
