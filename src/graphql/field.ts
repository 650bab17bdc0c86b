import { type Operation, routeSpecsOf } from '../domain/operation.ts';
import { fieldsOf as membersOf } from '../zod-shape.ts';

/** One field of the schema: which operation it calls, and how. */
export interface Field {
  /**
   * A field of `Query` has the fields of the operation's input as its arguments; one of `Mutation` has a single argument
   * `input` that holds them.
   */
  kind: 'query' | 'mutation';
  operation: Operation;
  /** The members of an item that a cursor is made of, where the operation returns pages. */
  cursor?: readonly string[];
}

/** Returns the fields that these operations are in GraphQL. */
export const fieldsOf = (operations: readonly Operation[]): Field[] =>
  operations.filter(({ spec }) => spec.at !== undefined && !spec.isRestOnly).map(fieldOf);

function fieldOf(operation: Operation): Field {
  const isRead = routeSpecsOf(operation.spec).every(
    ({ at, status }) => at.startsWith('GET ') && status === 200,
  );
  if (!isRead) return { kind: 'mutation', operation };
  const { items, has_more } = membersOf(operation.spec.output) ?? {};
  if (!items || !has_more) return { kind: 'query', operation };
  return { kind: 'query', operation, cursor: operation.spec.cursor ?? ['id'] };
}
