/** How often a sign-in is tried when its account changes meanwhile (optimistic locking). */
export const mostStarts = 5;

/** How often a change of a contended row is tried before the request fails with 503. */
export const mostTries = 10;
