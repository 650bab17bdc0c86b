import { isShort, mark, searchedGrams, storedGrams } from './grams.ts';

/** The field of a user that holds the grams of address and name. */
export const gramsField = 'grams';

/** Omits the grams, which readers of rows do not use. */
export const shown = { projection: { [gramsField]: 0 } };

/** Returns the grams of one field as an expression of the server. `$toLower` knows only A to Z. */
const gramsOfField = (field: string) => ({
  $let: {
    vars: { text: { $toLower: { $ifNull: [{ $concat: [mark, `$${field}`] }, ''] } } },
    in: {
      $map: {
        input: { $range: [0, { $max: [0, { $subtract: [{ $strLenCP: '$$text' }, 2] }] }] },
        as: 'at',
        in: { $substrCP: ['$$text', '$$at', 3] },
      },
    },
  },
});

/** Returns the same grams for a record that is about to be stored as a document. */
export const gramsOfUser = ({ email, fullName }: { email: string; fullName: string | null }) => [
  ...new Set([...storedGrams(email), ...storedGrams(fullName)]),
];

/** An update stage that writes the grams from the document's values at that moment, so that they always belong to them. */
export const gramsStage = {
  $set: { [gramsField]: { $setUnion: [gramsOfField('email'), gramsOfField('full_name')] } },
};

/**
 * Selects the users that a text may find, by the index of grams: those that have its grams, and those that another program
 * inserted and that have none yet.
 */
export const mayBeFound = (text: string) => ({
  $or: [{ [gramsField]: { $all: searchedGrams(text) } }, { [gramsField]: { $exists: false } }],
});

/** Returns a pattern for the search: A to Z match a to z and the reverse; every other character matches itself. */
export function searchPattern(text: string): RegExp {
  const literal = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const withoutCase = literal.replace(
    /[a-z]/gi,
    letter => `[${letter.toLowerCase()}${letter.toUpperCase()}]`,
  );
  return new RegExp(isShort(text) ? `^${withoutCase}` : withoutCase);
}
