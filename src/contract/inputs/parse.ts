import type { core, ZodType } from 'zod';
import { type FieldError, GatehouseError } from '../../errors.ts';

/**
 * Returns the input of an operation, parsed from what an interface received.
 * @throws {GatehouseError} invalid_input, with a sentence for each field and never the value itself
 */
export function parse<T>(schema: ZodType<T>, raw: unknown): T {
  const result = schema.safeParse(raw === undefined ? {} : raw, { reportInput: true });
  if (result.success) return result.data;
  throw new GatehouseError('invalid_input', {
    errors: result.error.issues.flatMap(fieldErrors).slice(0, mostErrors),
  });
}

/** Bounds the response: a body of nothing but unknown fields would otherwise get a response as long as itself. */
const mostErrors = 20;

function fieldErrors(issue: core.$ZodIssue): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({
      path: [...path, key].join('.').slice(0, 100),
      message: 'is not a field of this operation',
    }));
  }
  return [{ path: path.join('.'), message: sentence(issue) }];
}

function sentence(issue: core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return issue.message;
  if (issue.path.length === 0) return 'the body must be an object';
  return issue.input === undefined ? 'is required' : `must be ${article(issue.expected)}`;
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}
