import { mark, type SearchedGram, storedGrams } from './grams.ts';

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

/** Selects the users that have a gram, and those that another program inserted and that have none yet. */
export const havingGram = (gram: SearchedGram) => ({ [gramsField]: { $in: [...gram, null] } });
