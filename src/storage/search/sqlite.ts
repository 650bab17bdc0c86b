import type { Narrow } from '../sql-driver.ts';
import type { Bind } from '../sql-text.ts';
import { isShort, mark, markedSearch } from './grams.ts';
import { asciiLower, globOf, hasForms } from './letters.ts';

/** How many numbers of the index each millisecond has, and the latest of them. */
const [numbersOfTime, latestTime] = [2 ** 20, 2 ** 43 - 1];

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Returns a condition for the texts that a search finds, behind so many letters. */
export function foundBySqlite(column: string, text: string, bind: Bind, behind = 0): string {
  if (hasForms(text))
    return `${column} glob ${bind(`${'?'.repeat(behind)}${isShort(text) ? '' : '*'}${globOf(text)}*`)}`;
  const place = isShort(text) ? `= ${behind + 1}` : `> ${behind}`;
  return `instr(lower(${column}), ${bind(asciiLower(text))}) ${place}`;
}

/**
 * Uses SQLite's own index of grams (FTS5) in the table of this name, whose numbers are in the order of the list
 * (docs/search.md). FTS5 folds the case of all letters, so its hits are compared once more.
 */
export function sqliteSearch(name: string): Narrow {
  const [index, texts] = [quote(name), quote(`${name}_texts`)];
  // Joined, because the index would read its own columns from the same table in twice the time. The join is written so
  // that the index, in its order, is the outer loop.
  const matches = `select ${index}.rowid as no, user_id from ${index} cross join ${texts} t on t.no = ${index}.rowid where ${index} match`;

  return (text, page) => {
    // A null character ends a query of the index, and no address or name contains one.
    if (text.includes('\0')) return null;
    const query = quote(markedSearch(text));
    const before = page?.after?.[0];
    return {
      hits(bind) {
        const parts = [`${matches} ${bind(query)}`];
        if (before !== undefined)
          parts.push(
            `${index}.rowid < cast(min(${bind(before)}, ${latestTime - 1}) + 1 as integer) * ${numbersOfTime}`,
          );
        // The indexed texts include their mark.
        const found = ['email', 'full_name'].map(column =>
          foundBySqlite(`t.${column}`, text, bind, mark.length),
        );
        parts.push(`(${found.join(' or ')})`);
        return `(${parts.join(' and ')}) as hit`;
      },
      // Users of the same millisecond have numbers in no order.
      nearest: (bind, rows, { limit = 0, offset = 0 }) =>
        `hit.no >= (select min(no) / ${numbersOfTime} * ${numbersOfTime} from (select hit.no ${rows} order by hit.no desc limit ${bind(limit + offset)}))`,
    };
  };
}
