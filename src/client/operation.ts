/**
 * One operation, as both interfaces call it. `letter` is G (GET), P (POST), U (PATCH), D (DELETE), or R for a redirect of
 * the browser; a small one needs no session, and o (POST) takes one. `path` is below the URL of the API, and `selection` what GraphQL is asked for.
 * `rest` is what cannot be derived: of a list, the fields of an item that cursors are made of; of others the type of the
 * input, 0 if there is none.
 */
export type Operation = readonly [
  name: string,
  letter: string,
  path: string,
  rest: string,
  selection: string,
];

/** Returns whether an operation reads: a GET in REST, a query in GraphQL. */
export const isRead = ([, letter]: Operation): boolean => /g/i.test(letter);
