import type { Narrow } from '../sql-driver.ts';
import { searchedGrams } from './grams.ts';

/**
 * The offset from which pages of a search are read in list order: computing the grams of all rows before would be wasted.
 */
const farBehind = 1000;

const lexeme = (gram: string) => `'${gram.replace(/['\\]/g, '$&$&')}'`;

/**
 * Uses the index of the function of this name. The planner decides whether it reads the index or the users in their order.
 */
export const postgresqlSearch =
  (grams: string): Narrow =>
  (text, page) => {
    if ((page?.offset ?? 0) > farBehind) return null;
    const query = searchedGrams(text).map(lexeme).join(' & ');
    return { condition: bind => `${grams}(email, full_name) @@ ${bind(query)}::tsquery` };
  };
