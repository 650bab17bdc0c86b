/**
 * In UTF-16 units; no valid password has a longer form, because at most four characters become one (UAX #15). Longer
 * texts are not normalised, because sorting their accents would take quadratic time.
 */
const longestForm = 1024;

const normalised = (text: string, form: 'NFC' | 'NFKC') =>
  text.length > longestForm ? text : text.normalize(form);

/** NFC: a letter and its accents are the same password, however a keyboard makes them (RFC 8265 §4.2.1). */
export const normalisePassword = (text: string) => normalised(text, 'NFC');

/** The most code points of a password to set (SPEC §5.2.1). */
export const longestPassword = 128;

/** Returns the length of a normalised password, as the rules for new ones count it: in Unicode code points. */
export const lengthOfPassword = (normalised: string) => [...normalised].length;

/**
 * Returns the forms in which a password may have been hashed, each once: as it was typed, because other systems do not
 * normalise, in NFC, as Gatehouse does, and in NFKC, as its former versions did.
 */
export const formsOfPassword = (typed: string): string[] => [
  ...new Set([typed, normalisePassword(typed), normalised(typed, 'NFKC')]),
];
