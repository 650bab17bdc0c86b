import { gramLength } from './grams.ts';
import { countedTo, type Driver, type Narrow } from './sql.ts';

/** A letter whose case SQLite's index folds as we do, or that has none. */
const isPlain = (letter: string) => letter <= '\x7f' || letter.toLowerCase() === letter.toUpperCase();

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;

/**
 * Asks SQLite's own index of grams (FTS5), which folds the case of all letters: what it names contains the text most
 * often, and is looked at once more.
 */
export function openSearch(table: string, { read }: Driver): Narrow {
  const [index, terms] = [quote(table), quote(`${table}_terms`)];
  const countSql = `select count(*) as hits from (
    select 1 from ${index} where ${index} match ? and
      (instr(lower(email), ?) > 0 or instr(lower(full_name), ?) > 0) limit ${countedTo})`;

  /** What the index is asked; null where it can't tell. */
  async function queryOf(text: string): Promise<string | null> {
    const letters = [...text];
    if (letters.length >= gramLength) return quote(text);
    if (!letters.every(isPlain)) return null;
    const rows = await read(`select term from ${terms} where term >= ? and term < ?`, [
      text,
      `${text}\u{10ffff}`,
    ]);
    return rows.map(({ term }) => quote(String(term))).join(' OR ') || quote(text);
  }

  return async text => {
    const query = await queryOf(text);
    if (query === null) return null;
    const [row] = await read(countSql, [query, text, text]);
    return {
      hits: Number(row!.hits),
      condition: bind => `id in (select user_id from ${index} where ${index} match ${bind(query)})`,
    };
  };
}
