/** The columns of a line of a text mail. */
export const columns = 78;

/** Characters that take two columns (UAX #11): scripts of East Asia, and their punctuation. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/u;
/** Characters that take no column: marks over others, and those that set directions. */
const without = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** Characters that must not begin a line, and those that must not end one (JIS X 4051). */
const closing = /[、。，．・：；？！」』）】〉》〕ー々ゝゞぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const opening = /[「『（【〈《〔]/u;

/** Returns how many columns a text takes where each character has one or two. */
export const widthOf = (text: string): number =>
  [...text].reduce((sum, char) => sum + (wide.test(char) ? 2 : without.test(char) ? 0 : 1), 0);

/** Returns the pieces of a word between which a line may end: each wide character is one, with what has to stay with it. */
function piecesOf(word: string): string[] {
  const pieces: string[] = [];
  for (const char of word) {
    const last = pieces.at(-1) ?? '';
    const before = [...last].at(-1) ?? '';
    const mayBreak = (wide.test(char) || wide.test(before)) && !closing.test(char) && !opening.test(before);
    if (last === '' || mayBreak) pieces.push(char);
    else pieces[pieces.length - 1] = last + char;
  }
  return pieces;
}

/** Where a line may end between words; not at a no-break space, which French has before its marks. */
const spaces = /[^\S\u00a0\u202f]+/;

/** Returns a paragraph in lines of at most 78 columns; a longer word has a line of its own. */
export function wrap(paragraph: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.trim().split(spaces)) {
    // Sentences in Japanese and Chinese have no space between them.
    let glue = line === '' || line.endsWith('。') ? '' : ' ';
    for (const piece of piecesOf(word)) {
      if (line !== '' && widthOf(line + glue + piece) > columns) {
        lines.push(line);
        line = piece;
      } else line += glue + piece;
      glue = '';
    }
  }
  return [...lines, line].join('\n');
}
