/**
 * In UTF-16 units; no valid password has a longer form, because at most four characters become one (UAX #15). Longer
 * texts are not normalised, because sorting their accents would take quadratic time.
 */
const longestForm = 1024;

/** NFKC: compatibility forms of one character are the same password on every keyboard (NIST SP 800-63B §5.1.1.2). */
export const normalisePassword = (text: string) =>
  text.length > longestForm ? text : text.normalize('NFKC');

/** The most code points of a password to set (SPEC §5.2.1). */
export const longestPassword = 128;

/** Returns the length of a normalised password, as the rules for new ones count it: in Unicode code points. */
export const lengthOfPassword = (normalised: string) => [...normalised].length;

/**
 * Returns the forms in which a password may have been hashed: as it was typed, because other systems do not normalise, and
 * normalised, as Gatehouse does; one form where both are the same.
 */
export function formsOfPassword(typed: string): string[] {
  const normalised = normalisePassword(typed);
  return normalised === typed ? [typed] : [typed, normalised];
}
