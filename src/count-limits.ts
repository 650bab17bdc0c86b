/** How far the rows of a list are counted for every request; a total of this many means "at least". */
export const countedUpTo = {
  /** The hits of a search. */
  search: 1000,
  /** All rows; a larger total is counted once and kept for a while. */
  all: 10_000,
};
