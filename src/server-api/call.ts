import type { z } from 'zod';
import { hostCaller } from '../domain/caller.ts';
import type { Operation } from '../domain/operation.ts';
import { fieldError, GatehouseError } from '../errors.ts';
import { type InNode, inNode } from '../in-node.ts';
import { camelCase, toInput } from '../names.ts';
import { say } from '../words/said.ts';

/**
 * Calls an operation as the host, with the names of Node in its input and its output, which is of this view. `id`, where it
 * is given, is the account that the operation concerns.
 * @throws {GatehouseError} with the paths of input errors in camelCase
 */
export async function call<S extends z.ZodType>(
  view: S,
  operation: Operation<z.infer<S>>,
  given: unknown = {},
  id?: { id: unknown },
): Promise<InNode<S>> {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  try {
    // The account is named once; a second id would be taken for another account.
    if (isObject && id && 'id' in given) throw idGiven();
    return inNode(view, await operation(hostCaller, isObject ? { ...toInput(given), ...id } : given));
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    // Below the first name are names and numbers of the host's own.
    throw error.withPaths(path => path.replace(/^[^.]*/, camelCase));
  }
}

const idGiven = () =>
  new GatehouseError('invalid_input', {
    errors: [fieldError('id', say('field_unknown_field'))],
  });

/** Returns the account, or null where there is none. @throws {GatehouseError} other than not_found */
export const orNull = <R>(found: Promise<R>): Promise<R | null> =>
  found.catch(error => {
    if (error instanceof GatehouseError && error.code === 'not_found') return null;
    throw error;
  });
