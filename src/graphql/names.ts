import type { z } from 'zod';
import { camelCase, snakeCase } from '../names.ts';
import { fieldsOf } from '../zod-shape.ts';

export { camelCase };

/** `startPhoneSetup` → `StartPhoneSetup` */
export const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * Returns a function that makes the input of an operation from the arguments of a field: the same values, with the names of
 * REST. These come from the schema of the input, because a host's own names (`line_2`) can't be read back from camelCase.
 * The schema is read once, not for each call.
 */
export function inputReader(schema: z.core.$ZodType): (args: object) => Record<string, unknown> {
  const known = new Map(
    Object.entries(fieldsOf(schema) ?? {}).map(([name, field]) => [
      camelCase(name),
      { name, read: fieldsOf(field) ? inputReader(field) : null },
    ]),
  );
  return args =>
    Object.fromEntries(
      Object.entries(args).map(([given, value]) => {
        const { name, read } = known.get(given) ?? { name: snakeCase(given), read: null };
        const isObject = typeof value === 'object' && value !== null;
        return [name, read && isObject ? read(value) : value];
      }),
    );
}
