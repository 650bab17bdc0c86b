import { asciiLower, formsOf, regularExpressionOf } from './letters.ts';

// How a search of users works on every database is described in docs/search.md.

/** How many letters a gram has. */
const gramLength = 3;

/** Stands in front of a text, so that its beginning is a gram, too. It cannot be typed. */
export const mark = '\x01\x01';

/** Returns three letters from each position of a text. */
const windows = <T>(letters: readonly T[]) =>
  Array.from({ length: Math.max(0, letters.length - gramLength + 1) }, (_, place) =>
    letters.slice(place, place + gramLength),
  );

/** Returns the grams that are stored for a text, each once. */
export const storedGrams = (text: string | null) =>
  text === null ? [] : [...new Set(windows([...asciiLower(mark + text)]).map(gram => gram.join('')))];

/** Returns whether a text is too short to be found anywhere but at the beginning of an address or a name. */
export const isShort = (text: string) => [...text].length < gramLength;

/** Returns a regular expression for the texts that a search finds, as they are stored. */
export const searchPattern = (text: string) => `${isShort(text) ? '^' : ''}${regularExpressionOf(text)}`;

/** Returns the text to compare with stored texts, as letters: a short text is searched with the mark in front of it. */
export const markedSearch = (text: string) =>
  isShort(text) ? [...(mark + text)].slice(-gramLength).join('') : text;

/** A gram that every matching text contains, in one of these forms. */
export type SearchedGram = readonly string[];

/** Returns the grams that every matching text contains. */
export function searchedGrams(text: string): SearchedGram[] {
  const grams = windows(formsOf(markedSearch(text))).map(gram =>
    gram.reduce((begun, forms) => begun.flatMap(start => forms.map(form => start + form)), ['']),
  );
  return [...new Map(grams.map(gram => [gram.join(), gram])).values()];
}
