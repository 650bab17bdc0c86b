/**
 * Users are searched by grams: the three letters from each place of a text on, fewer at its end. A text contains another
 * of three letters or more only if it has all grams of that one, and a shorter one only if a gram begins with it.
 */
export const gramLength = 3;

/** A to Z as a to z, and every other letter as it is: what databases agree on. */
export const asciiLower = (text: string) => text.replace(/[A-Z]/g, letter => letter.toLowerCase());

/** The grams of a text, each once. */
export function gramsOf(text: string): string[] {
  const letters = [...asciiLower(text)];
  return [...new Set(letters.map((_, at) => letters.slice(at, at + gramLength).join('')))];
}

/** Which grams a text has that contains this one: all of these, or one that begins so. */
export function gramsOfSearch(text: string): { all: string[] } | { begin: string } {
  const isWhole = (gram: string) => [...gram].length === gramLength;
  const all = gramsOf(text).filter(isWhole);
  return all.length > 0 ? { all } : { begin: asciiLower(text) };
}
