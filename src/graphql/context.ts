import type { Caller } from '../services/authentication.ts';
import type { Operation } from '../services/operation.ts';

/** What a resolver knows of its request. */
export interface GraphQLContext {
  caller: Caller;
  /** Under which the log has what happened. */
  requestId: string;
}

/**
 * Calls a changing operation. Each field gets a caller of its own, because the session check is remembered per caller
 * and the fields of one mutation run one after the other: after `logout` the next one must be refused.
 */
export function change<R>(
  operation: Operation<R>,
  context: GraphQLContext,
  input?: object | null,
): Promise<R> {
  return operation({ ...context.caller }, input ? snakeKeys(input) : undefined);
}

/** Calls a reading operation; one document's reads share one session check. */
export function read<R>(operation: Operation<R>, context: GraphQLContext, input?: object | null): Promise<R> {
  return operation(context.caller, input ? snakeKeys(input) : undefined);
}

function snakeKeys(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [snakeCase(key), value]));
}

/** `newEmail` → `new_email` */
const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/** `new_email` → `newEmail` */
export const camelCase = (name: string) =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
