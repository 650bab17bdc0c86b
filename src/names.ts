/** `newEmail` → `new_email` */
export const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/** `new_email` → `newEmail` */
export type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;

/** `new_email` → `newEmail` */
export const camelCase = <S extends string>(name: S) =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) as Camel<S>;

/**
 * Returns the input of an operation from what an interface with names in camelCase received: the same values, with the
 * names of REST.
 */
export const toInput = (given: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [snakeCase(name), value]));
