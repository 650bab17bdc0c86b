/** The intersection of the members of a union: of what several parts have, an object that has all of it; an empty one of none. */
export type All<T> = [T] extends [never]
  ? Record<never, never>
  : (T extends unknown ? (member: T) => void : never) extends (all: infer A) => void
    ? A
    : never;

/** Returns one object with the members of each of these. */
export const joined = <T extends object>(parts: readonly T[]): All<T> => Object.assign({}, ...parts);
