import type { z } from 'zod';
import { fieldsOf, recordValueOf, shapeOf } from '../zod-shape.ts';
import { environmentName } from './environment-name.ts';
import { ConfigSchema } from './schema.ts';

export { camelCase } from '../names.ts';
export { environmentName };

/** One field: its name, and its properties. */
export interface Field {
  /** `['email', 'smtp_port']`, one name at the top level, or `['oauth', 'providers', 'NAME', 'kind']`. */
  path: string[];
  kind: 'flag' | 'whole' | 'list' | 'record' | 'text';
  isOptional: boolean;
  isSecret: boolean;
  /** Whether the tests of a host do not take it from the configuration file. */
  isOutsideOfTests: boolean;
  /** Whether it must not be in the configuration file. */
  isKeptOutOfFiles: boolean;
  /** The command that makes a secret. */
  madeBy: string | undefined;
  /** As a person would write it into the file; undefined if there is none. */
  default: unknown;
  description: string;
}

const kinds: Partial<Record<string, Field['kind']>> = {
  boolean: 'flag',
  number: 'whole',
  array: 'list',
  record: 'record',
};

/** Stands in a path for a name that the configuration chooses. */
const anyName = 'NAME';

const everyField: readonly Field[] = Object.entries(ConfigSchema.shape).flatMap(([name, schema]) =>
  fieldsIn([name], schema),
);

function fieldsIn(path: string[], schema: z.core.$ZodType): Field[] {
  const { type, isOptional, meta, default: byDefault } = shapeOf(schema);
  const named = meta.isValue ? undefined : recordValueOf(schema);
  if (named) return fieldsIn([...path, anyName], named);
  const table = fieldsOf(schema);
  if (table) return Object.entries(table).flatMap(([name, inner]) => fieldsIn([...path, name], inner));
  return [
    {
      path,
      kind: kinds[type] ?? 'text',
      isOptional,
      isSecret: meta.secret === true,
      isOutsideOfTests: meta.isOutsideOfTests === true || meta.secret === true,
      isKeptOutOfFiles: meta.isKeptOutOfFiles === true,
      madeBy: meta.madeBy,
      default: byDefault,
      description: meta.description ?? '',
    },
  ];
}

const isInNamedTable = ({ path }: Field) => path.includes(anyName);

/** Every field of the schema, in its order; tables after the top level. */
export const fields = everyField.filter(field => !isInNamedTable(field));

/** The fields of tables whose names the configuration chooses: `['user_fields', 'NAME', 'type']`. */
export const namedFields = everyField.filter(isInNamedTable);

/** Returns whether a path of a source is that of a field, or of a table that it is in. */
export const isWithin = ({ path: field }: Field, path: readonly string[]) =>
  path.every((name, i) => field[i] === name || field[i] === anyName);

/** Returns the field at a path, whose names that the configuration chooses are as they were chosen. */
export const fieldAt = (path: readonly string[]): Field | undefined =>
  everyField.find(field => field.path.length === path.length && isWithin(field, path));

/** Returns whether the tests of a host take what is at this path of the configuration file: a field, or a named table. */
export const isForTests = (path: readonly string[]): boolean =>
  everyField.some(field => isWithin(field, path) && !field.isOutsideOfTests);

/** Returns which tables a path leads to: the names of those that the schema knows, and whether the configuration names others. */
export function namesBelow(path: readonly string[]): { known: string[]; isNamed: boolean } {
  const below = everyField.filter(field => field.path.length > path.length && isWithin(field, path));
  const names = [...new Set(below.map(field => field.path[path.length]!))];
  return { known: names.filter(name => name !== anyName), isNamed: names.includes(anyName) };
}

/**
 * Returns the field of a named table that a variable sets, with its name in place of `NAME`: the name is written in the
 * environment as it is everywhere, so `SVC_USER_FIELDS__company__TYPE`. That of an identity provider, a webhook or a resource, which is
 * always in lower case, may be in upper case as the rest of the variable is.
 */
export function namedFieldOfVariable(variable: string): Field | undefined {
  for (const field of namedFields) {
    const [before = '', after = ''] = environmentName(field.path).split(anyName);
    const written = variable.slice(before.length, -after.length);
    if (written === '' || variable !== `${before}${written}${after}`) continue;
    const isUpperCase = field.path[0] !== 'user_fields' && written === written.toUpperCase();
    const name = isUpperCase ? written.toLowerCase() : written;
    return { ...field, path: field.path.map(each => (each === anyName ? name : each)) };
  }
  return undefined;
}
