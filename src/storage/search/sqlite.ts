import type { Driver, Narrow, Narrowing } from '../sql-driver.ts';
import { countLimit } from '../sql-lists.ts';
import { asciiLower, isShort, markedSearch } from './grams.ts';

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** How many rows that are out of order are read for a page; beyond, another way to the page is as good. */
const lateLimit = 1000;

/**
 * Uses SQLite's own index of grams (FTS5) in the table of this name. FTS5 folds the case of all letters, so its hits are
 * compared once more.
 */
export function sqliteSearch(name: string, { read }: Driver): Narrow {
  const [index, texts] = [quote(name), quote(`${name}_texts`)];
  // Joined, because the index would read its own columns from the same table in twice the time. The join is written so
  // that the index, in its order, is the outer loop.
  const matches = `${index} cross join ${texts} on no = ${index}.rowid where ${index} match`;
  const hitsSql = (isHit: string) =>
    `select count(*) as found, sum(is_hit) as hits from (select ${isHit} as is_hit from ${matches} ? limit ${countLimit})`;
  // The indexed texts include their mark, which is two letters long.
  const place = (column: string) => `instr(lower(${texts}.${column}), ?)`;
  const containsSql = hitsSql(`${place('email')} > 2 or ifnull(${place('full_name')} > 2, 0)`);
  const beginsSql = hitsSql(`${place('email')} = 3 or ifnull(${place('full_name')} = 3, 0)`);

  // Rows in order have a higher number than every row in order with a lower id (docs/search.md).
  const orderedSql = (behind: string) =>
    `select user_id as id from ${matches} ? and not is_late ${behind} order by ${index}.rowid desc limit ?`;
  const [firstSql, behindSql] = [orderedSql(''), orderedSql(`and ${index}.rowid <= ?`)];
  const placeSql = `select no from (select no, is_late from ${texts} where user_id < ?
    order by user_id desc limit ${lateLimit}) where not is_late limit 1`;
  const lateSql = (before: string) =>
    `select user_id as id from ${texts} where is_late and user_id > ? ${before} limit ${lateLimit}`;
  const [lateFirstSql, lateBehindSql] = [lateSql(''), lateSql('and user_id < ?')];

  const idsOf = async (sql: string, values: unknown[]) =>
    (await read(sql, values)).map(({ id }) => String(id));

  async function readOrdered(query: string, most: number, after: string | null): Promise<string[] | null> {
    if (after === null) return idsOf(firstSql, [query, most]);
    const [place] = await read(placeSql, [after]);
    return place ? idsOf(behindSql, [query, place.no, most]) : null;
  }

  const newestBy =
    (query: string): Narrowing['newest'] =>
    async (most, after) => {
      const ordered = await readOrdered(query, most, after);
      if (!ordered) return null;
      const isAll = ordered.length < most;
      const last = isAll ? '' : ordered.at(-1)!;
      const late = await (after === null ? idsOf(lateFirstSql, [last]) : idsOf(lateBehindSql, [last, after]));
      if (late.length === lateLimit) return null;
      const ids = JSON.stringify([...ordered, ...late]);
      return { condition: bind => `id in (select value from json_each(${bind(ids)}))`, isAll };
    };

  return async text => {
    // A null character ends a query of the index, and no address or name contains one.
    if (text.includes('\0')) return null;
    const query = quote(markedSearch(text));
    const lower = asciiLower(text);
    const [row] = await read(isShort(text) ? beginsSql : containsSql, [lower, lower, query]);
    const hits = Number(row!.hits);
    // If there are more hits than are examined, some matches may lie beyond those that were counted.
    if (Number(row!.found) === countLimit && hits < countLimit) return null;
    const condition: Narrowing['condition'] = bind => `id in (select user_id from ${matches} ${bind(query)})`;
    return { hits, condition, newest: newestBy(query) };
  };
}
