import { type SearchedGram, searchedGrams, searchPattern, storedGrams } from './grams.ts';

/** How many users a sample has, about. */
export const sampleSize = 500;

/** How long a sample is used, in milliseconds. */
const keptMs = 600_000;

/** The share of users from which on a text is found sooner in the users in their order than in the index. */
const common = 0.1;

/** The share of users from which on a text is found too often to count and read it at once. */
const frequent = 0.01;

/** The texts of a user that are searched. */
export type Texts = readonly (string | null)[];

/** Tells from some users which grams few have. It decides how a search is run, and never whom it finds. */
export interface Sample {
  /** Returns how many users have a text: of a common one, the first are soon found without an index. */
  frequencyOf(text: string): 'rare' | 'frequent' | 'common';
  /** Returns the grams of a text that fewest users have, at most so many of them. */
  rarestGrams(text: string, most: number): SearchedGram[];
}

export function createSample(users: readonly Texts[]): Sample {
  const counts = new Map<string, number>();
  for (const gram of users.flatMap(texts => texts.flatMap(storedGrams)))
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  const countOf = (gram: SearchedGram) => gram.reduce((sum, form) => sum + (counts.get(form) ?? 0), 0);

  /** Returns the share of users who have a text; of a rare one, only that it is rare. */
  function shareOf(text: string): number {
    const most = Math.min(...searchedGrams(text).map(countOf)) / users.length;
    if (most <= frequent) return most;
    const pattern = new RegExp(searchPattern(text));
    const having = users.filter(texts => texts.some(stored => stored !== null && pattern.test(stored)));
    return having.length / users.length;
  }

  return {
    frequencyOf(text) {
      const share = shareOf(text);
      if (share > common) return 'common';
      return share > frequent ? 'frequent' : 'rare';
    },

    rarestGrams(text, most) {
      const grams = searchedGrams(text).map((gram, place) => ({ gram, place, count: countOf(gram) }));
      // Of those of which the sample tells no difference, first some that share no letter: they are rarely together.
      grams.sort((a, b) => a.count - b.count || (a.place % 3) - (b.place % 3) || a.place - b.place);
      return grams.slice(0, most).map(({ gram }) => gram);
    },
  };
}

/** Returns the sample of a database, which is read at the first search, and again some time later. */
export function sampleOf(read: () => Promise<Texts[]>): () => Promise<Sample> {
  let latest: { sample: Promise<Sample>; until: number } | undefined;
  return () => {
    if (latest && performance.now() < latest.until) return latest.sample;
    const sample = read().then(createSample);
    latest = { sample, until: performance.now() + keptMs };
    // The next search reads it anew; this one fails with the error.
    sample.catch(() => {
      latest = undefined;
    });
    return sample;
  };
}
