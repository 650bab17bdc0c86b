import { countLimit, type Driver, type Narrow } from '../sql.ts';
import { asciiLower, isShort, markedSearch } from './grams.ts';

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;

/**
 * Uses SQLite's own index of grams (FTS5) in the table of this name. FTS5 folds the case of all letters, so its hits are
 * compared once more.
 */
export function sqliteSearch(name: string, { read }: Driver): Narrow {
  const [index, texts] = [quote(name), quote(`${name}_texts`)];
  const hitsSql = (isHit: string) =>
    `select count(*) as found, sum(is_hit) as hits from (
       select ${isHit} as is_hit from ${index} where ${index} match ? limit ${countLimit})`;
  // The indexed texts include their mark, which is two letters long.
  const containsSql = hitsSql(`instr(lower(email), ?) > 2 or ifnull(instr(lower(full_name), ?) > 2, 0)`);
  const beginsSql = hitsSql(`instr(lower(email), ?) = 3 or ifnull(instr(lower(full_name), ?) = 3, 0)`);

  return async text => {
    // A null character ends a query of the index, and no address or name contains one.
    if (text.includes('\0')) return null;
    const query = quote(markedSearch(text));
    const lower = asciiLower(text);
    const [row] = await read(isShort(text) ? beginsSql : containsSql, [lower, lower, query]);
    const hits = Number(row!.hits);
    // If there are more hits than are examined, some matches may lie beyond those that were counted.
    if (Number(row!.found) === countLimit && hits < countLimit) return null;
    const ids = `select user_id from ${index} join ${texts} on no = ${index}.rowid where ${index} match`;
    return { hits, condition: bind => `id in (${ids} ${bind(query)})` };
  };
}
