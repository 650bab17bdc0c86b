import type { ConfigProblem } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { fieldAt, fields, isWithin, namedFields, namesBelow } from './names.ts';

/** One value from a source, with the source's own name for it. */
export interface Entry {
  path: string[];
  /** Undefined for a named table itself, which may have no fields. */
  value: unknown;
  source: string;
  key: string;
}

/** The values from one source, and its problems. */
export interface SourceResult {
  entries: Entry[];
  problems: ConfigProblem[];
  /** Whether the source could not be read, so that its values are unknown. */
  isUnread?: boolean;
  /** The files that it names, each of which holds one value. */
  filesRead?: string[];
  /** Fields whose file could not be read. */
  unreadFields?: string[];
}

/** The names of the tables of the top level. */
const tables = new Set(
  [...fields, ...namedFields].filter(({ path }) => path.length > 1).map(({ path }) => path[0]!),
);

/** Returns the problem of a name that is none, with the one that was most likely meant. */
export function unknown(source: string, key: string, known: Iterable<string>): ConfigProblem {
  const meant = nearest(key, [...known]);
  return { source, key, message: `is not a setting${meant ? `; did you mean ${meant}?` : ''}` };
}

/** Returns the problem of a setting of the top level in a table: in TOML, a table goes on until the next one begins. */
const misplacedBelow = (table: string, source: string, key: string): ConfigProblem => ({
  ...{ source, key },
  message: `it stands below [${table}]; move it up`,
});

/** Reads values and tables of values, with names spelled as in the source; names that the configuration chooses stay as they are. */
export function fromTables(
  given: Record<string, unknown>,
  source: string,
  spelled: (name: string) => string,
): SourceResult {
  const result: SourceResult = { entries: [], problems: [] };
  const topLevel = new Set([...fields, ...namedFields].map(({ path }) => spelled(path[0]!)));
  const everyName = [
    ...fields.map(({ path }) => path.map(spelled).join('.')),
    ...[...tables].map(name => spelled(name)),
  ];

  function read(table: Record<string, unknown>, path: string[], place: string): void {
    const { known, isNamed } = namesBelow(path);
    const names = new Map(known.map(name => [spelled(name), name]));
    for (const [key, value] of Object.entries(table)) {
      if (value === undefined) continue;
      const name = names.get(key) ?? (isNamed ? key : undefined);
      const at = [...path, name ?? key];
      const keyPlace = place === '' ? key : `${place}.${key}`;
      if (name === undefined) {
        const misplaced = place !== '' && topLevel.has(key);
        const siblings = [...names.keys()].map(each => `${place}.${each}`);
        const isPlain = fields.some(field => isWithin(field, path));
        result.problems.push(
          misplaced
            ? misplacedBelow(place, source, keyPlace)
            : unknown(source, keyPlace, isPlain ? everyName : siblings),
        );
      } else if (fieldAt(at)) result.entries.push({ path: at, value, source, key: keyPlace });
      else if (isTable(value)) {
        if (isNamed) result.entries.push({ path: at, value: undefined, source, key: keyPlace });
        read(value, at, keyPlace);
      } else if (isNamed && topLevel.has(key)) result.problems.push(misplacedBelow(place, source, keyPlace));
      else result.problems.push({ source, key: keyPlace, message: 'must be a table' });
    }
  }

  read(given, [], '');
  return result;
}

/** Returns whether this is a plain object: a TOML date is not. */
const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value));
