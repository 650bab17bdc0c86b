import { optionalFields } from './generated/table.ts';

/** Objects whose keys are not the client's: JSON of the browser, and the fields that a host has defined. */
const foreign = /^(options|credential|fields)$/;

/** `new_email` → `newEmail` */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());

/** `newEmail` → `new_email` */
export const separated = (name: string, separator = '_'): string =>
  name.replace(/[A-Z]/g, letter => separator + letter.toLowerCase());

/** Returns an object with other fields: those whose names and values `field` returns for each. */
export const mapFields = (
  object: object,
  field: (entry: [name: string, value: unknown]) => [string, unknown][],
): Record<string, unknown> => Object.fromEntries(Object.entries(object).flatMap(field));

/** Returns a result with names in camelCase, without the fields that are null only because GraphQL has to send something. */
export function toResult(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toResult);
  if (Object(value) !== value) return value;
  return mapFields(value as object, ([key, field]) => {
    const name = camelCase(key);
    if (field === null && optionalFields.test(name)) return [];
    return [[name, foreign.test(name) ? field : toResult(field)]];
  });
}
