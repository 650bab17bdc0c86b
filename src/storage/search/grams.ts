// How a search of users works on every database is described in docs/search.md.

/** How many letters a gram has. */
const gramLength = 3;

/** Stands in front of a text, so that its beginning is a gram, too. Nobody can type it. */
export const mark = '\x01\x01';

/** Returns the text with A to Z as a to z and every other letter unchanged: the folding that all databases share. */
export const asciiLower = (text: string) => text.replace(/[A-Z]/g, letter => letter.toLowerCase());

/** Returns the grams of a text, each once: three letters from each position. */
function gramsOf(text: string): string[] {
  const letters = [...asciiLower(text)];
  const places = Math.max(0, letters.length - gramLength + 1);
  return [
    ...new Set(
      Array.from({ length: places }, (_, place) => letters.slice(place, place + gramLength).join('')),
    ),
  ];
}

/** Returns the grams that are stored for a text. */
export const storedGrams = (text: string | null) => (text === null ? [] : gramsOf(mark + text));

/** Returns whether a text is too short to be found anywhere but at the beginning of an address or a name. */
export const isShort = (text: string) => [...text].length < gramLength;

/** Returns the text to compare with stored texts, as letters: a short text is searched with the mark in front of it. */
export const markedSearch = (text: string) =>
  isShort(text) ? [...(mark + text)].slice(-gramLength).join('') : text;

/** Returns the grams that every matching text contains. */
export const searchedGrams = (text: string) => gramsOf(markedSearch(text));
