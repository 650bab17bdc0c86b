/** A repetition of up to six characters: `aaaaaaaa`, `12341234`, `qwertyqwerty`. */
const repetition = /^(.{1,6})\1+$/su;

/**
 * Returns whether a text is as common as a password as those of the list, because of its form: a date in eight digits, a
 * repetition, or a run of letters or digits in their order.
 */
export function isPattern(text: string): boolean {
  return isDate(text) || repetition.test(text) || isRun(text, 1) || isRun(text, -1);
}

/** Returns whether these are the eight digits of a date, in one of the orders that people write. */
function isDate(text: string): boolean {
  if (!/^\d{8}$/.test(text)) return false;
  const between = (from: number, to: number) => Number(text.slice(from, to));
  return (
    isDay(between(4, 8), between(2, 4), between(0, 2)) ||
    isDay(between(4, 8), between(0, 2), between(2, 4)) ||
    isDay(between(0, 4), between(4, 6), between(6, 8))
  );
}

const isDay = (year: number, month: number, day: number) =>
  year >= 1900 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31;

/** Returns whether each letter follows the one before it in the alphabet, or precedes it; after the digit 9 follows 0. */
function isRun(text: string, step: 1 | -1): boolean {
  const codes = [...text].map(letter => letter.codePointAt(0)!);
  const isDigit = (code: number) => code >= 48 && code <= 57;
  return codes.every((code, i) => {
    if (i === 0) return true;
    const before = codes[i - 1]!;
    if (code === before + step) return true;
    return isDigit(code) && isDigit(before) && (code - before - step + 10) % 10 === 0;
  });
}
