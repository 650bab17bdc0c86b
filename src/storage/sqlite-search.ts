import { gramLength } from './grams.ts';
import { countedTo, type Driver, type Narrow } from './sql.ts';

/** How many grams are asked for at once: the index reads a question in the square of their number. */
const mostGrams = 300;

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** A letter whose case the index folds as we do, or that has none; it takes two of them for others. */
const isPlain = (letter: string) =>
  letter <= '\x7f' || (letter.toLowerCase() === letter.toUpperCase() && !/[\ufffe\uffff]/.test(letter));

/** The first text behind all that begin with this one; null where there is none. */
function behind(text: string): string | null {
  const last = [...text].at(-1)!;
  const next = last.codePointAt(0)! + 1;
  if (next > 0x10ffff) return null;
  // Surrogates are no letters.
  return text.slice(0, -last.length) + String.fromCodePoint(next === 0xd800 ? 0xe000 : next);
}

/**
 * Asks SQLite's own index of grams (FTS5), which folds the case of all letters: what it names contains the text most
 * often, and is looked at once more.
 */
export function openSearch(name: string, { read }: Driver): Narrow {
  const [index, texts, grams] = [quote(name), quote(`${name}_texts`), quote(`${name}_grams`)];
  const countSql = `select count(*) as named, sum(is_hit) as hits from (
    select instr(lower(email), ?) > 0 or ifnull(instr(lower(full_name), ?) > 0, 0) as is_hit
    from ${index} where ${index} match ? limit ${countedTo})`;

  /** What the index is asked; null where it can't tell, or has too many grams. */
  async function queryOf(text: string): Promise<string | null> {
    // Letters that nobody can type end a question, or a text in the index.
    if (text.includes('\0') || text.includes('\x01')) return null;
    const letters = [...text];
    if (letters.length >= gramLength) return quote(text);
    const end = behind(text);
    if (end === null || !letters.every(isPlain)) return null;
    const sql = `select term from ${grams} where term >= ? and term < ? limit ${mostGrams + 1}`;
    const rows = await read(sql, [text, end]);
    if (rows.length > mostGrams) return null;
    return rows.map(({ term }) => quote(String(term))).join(' OR ') || quote(text);
  }

  return async text => {
    const query = await queryOf(text);
    if (query === null) return null;
    const [row] = await read(countSql, [text, text, query]);
    const hits = Number(row!.hits);
    // Of more that it names than are looked at, some may contain the text that were not counted.
    if (Number(row!.named) === countedTo && hits < countedTo) return null;
    const ids = `select user_id from ${index} join ${texts} on no = ${index}.rowid where ${index} match`;
    return { hits, condition: bind => `id in (${ids} ${bind(query)})` };
  };
}
