import { gramLength, gramsOf, gramsOfSearch } from './grams.ts';

/** The field of a user that has the grams of address and name. */
export const gramsField = 'grams';

/** The grams of one field, as an expression of the server's. `$toLower` knows A to Z only. */
const gramsOfField = (field: string) => ({
  $let: {
    vars: { text: { $toLower: { $ifNull: [`$${field}`, ''] } } },
    in: {
      $map: {
        input: { $range: [0, { $strLenCP: '$$text' }] },
        as: 'at',
        in: { $substrCP: ['$$text', '$$at', gramLength] },
      },
    },
  },
});

/** The same of a record that is about to be a document. */
export const gramsOfUser = ({ email, fullName }: { email: string; fullName: string | null }) => [
  ...new Set([...gramsOf(email), ...gramsOf(fullName ?? '')]),
];

/** Stage of an update that writes the grams of the document as it is then, so that they are never another's. */
export const gramsStage = {
  $set: { [gramsField]: { $setUnion: [gramsOfField('email'), gramsOfField('full_name')] } },
};

/**
 * Users who may contain a text, by the index of the grams: those that have its grams, and those that somebody else put
 * there and that have none yet.
 */
export function mayContain(text: string) {
  const grams = gramsOfSearch(text);
  const has = 'all' in grams ? { $all: grams.all } : new RegExp(`^${asLiteral(grams.begin)}`);
  return { $or: [{ [gramsField]: has }, { [gramsField]: { $exists: false } }] };
}

/** A text as a regular expression that matches it and nothing else. */
export const asLiteral = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
