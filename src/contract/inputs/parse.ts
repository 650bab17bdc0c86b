import type { core, ZodType } from 'zod';
import { fieldError, GatehouseError, type SaidFieldError } from '../../errors.ts';
import type { Values } from '../../words/message.ts';
import { isFieldMessage, say } from '../../words/said.ts';
import { fieldsOf } from '../../zod-shape.ts';

/**
 * Returns the input of an operation, parsed from what an interface received.
 * @throws {GatehouseError} invalid_input, with a message for each field and never the value itself
 */
export function parse<T>(schema: ZodType<T>, raw: unknown): T {
  const result = schema.safeParse(raw === undefined ? {} : raw, { reportInput: true });
  if (result.success) return result.data;
  throw new GatehouseError('invalid_input', {
    errors: result.error.issues
      .flatMap(issue => missingParts(schema, issue) ?? fieldErrors(issue))
      .slice(0, mostErrors),
  });
}

/** Bounds the response: a body of nothing but unknown fields would otherwise get a response as long as itself. */
const mostErrors = 20;

/** Returns an error for each required part of an object that is missing; null for any other issue. */
function missingParts(schema: ZodType, { code, path, input }: core.$ZodIssue): SaidFieldError[] | null {
  if (code !== 'invalid_type' || input !== undefined || path.length !== 1) return null;
  const missing = fieldsOf(schema)?.[String(path[0])];
  const result = missing && fieldsOf(missing) && missing.safeParse({}, { reportInput: true });
  if (!result || result.success) return null;
  return result.error.issues.flatMap(issue => fieldErrors({ ...issue, path: [...path, ...issue.path] }));
}

function fieldErrors(issue: core.$ZodIssue): SaidFieldError[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key =>
      fieldError([...path, key].join('.').slice(0, 100), say('field_unknown_field')),
    );
  }
  return [errorOf(issue, path.join('.'))];
}

function errorOf(issue: core.$ZodIssue, path: string): SaidFieldError {
  if (issue.code === 'invalid_type') {
    if (path === '') return fieldError(path, say('field_body'));
    if (issue.input === undefined) return fieldError(path, say('field_required'));
    return fieldError(path, say('field_type', { type: issue.expected }));
  }
  if (isFieldMessage(issue.message)) return fieldError(path, { id: issue.message, values: valuesOf(issue) });
  if (issue.code === 'invalid_value') {
    const options = issue.values.map(value => JSON.stringify(value)).join('|');
    return fieldError(path, say('field_option', { options }));
  }
  // Of the command line, which speaks English.
  return { path, message: issue.message, rule: 'invalid' };
}

/** Returns the values of the message about an issue. */
function valuesOf(issue: core.$ZodIssue): Values {
  switch (issue.code) {
    case 'too_small':
      return { least: Number(issue.minimum) };
    case 'too_big':
      return { most: Number(issue.maximum) };
    case 'custom':
      return issue.params ?? {};
    default:
      return {};
  }
}
