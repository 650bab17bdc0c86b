import type { Narrow } from '../sql-driver.ts';
import type { Bind } from '../sql-text.ts';
import { isShort, type SearchedGram, searchPattern } from './grams.ts';
import { asciiLower, hasForms } from './letters.ts';
import type { Sample } from './sample.ts';

/**
 * The offset from which pages of a search are read in list order: computing the grams of all rows before would be wasted.
 */
const farBehind = 1000;

/** How many grams a search asks the index for. With more, the index takes longer than reading the users whom they exclude. */
const asked = 3;

const lexeme = (gram: string) => `'${gram.replace(/['\\]/g, '$&$&')}'`;
const anyOf = (gram: SearchedGram) => `(${gram.map(lexeme).join(' | ')})`;

/** Returns a condition for the texts that a search finds. */
export const foundByPostgresql = (column: string, text: string, bind: Bind) =>
  hasForms(text)
    ? `${column} collate "C" ~ ${bind(searchPattern(text))}`
    : `strpos(lower(${column} collate "C"), ${bind(asciiLower(text))}) ${isShort(text) ? '= 1' : '> 0'}`;

/**
 * Uses the index of the function of this name. The planner decides whether it reads the index or the users in their order.
 */
export const postgresqlSearch =
  (grams: string, sample: () => Promise<Sample>): Narrow =>
  async (text, page) => {
    if ((page?.offset ?? 0) > farBehind) return null;
    const known = await sample();
    const frequency = known.frequencyOf(text);
    if (frequency === 'common') return null;
    const query = known.rarestGrams(text, asked).map(anyOf).join(' & ');
    return {
      isRare: frequency === 'rare',
      condition: bind => `${grams}(email, full_name) @@ ${bind(query)}::tsquery`,
    };
  };

/**
 * Returns the statement that reads a sample of the users: all users of some blocks of the table of this name, a few hundred in
 * all.
 */
export const postgresqlSample = (users: string) =>
  `select email, full_name from ${users} tablesample system (least(100, 100.0 * ${sampledBlocks} * current_setting('block_size')::int
     / greatest(pg_relation_size('${users.replaceAll("'", "''")}'::regclass), 1)))`;

/** How many blocks a sample has, about; one has some 20 users. */
const sampledBlocks = 25;
