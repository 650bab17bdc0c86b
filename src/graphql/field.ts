import type { Operation } from '../domain/operation.ts';

/** One field of the schema: which operation it calls, and how. */
export interface Field {
  kind: 'query' | 'mutation';
  operation: Operation;
  /** The key of an item, if the field is a connection over a list. */
  cursorKey?: string;
}

/** Returns a field of `Query`: its arguments are the fields of the operation's input. */
export const query = (operation: Operation): Field => ({ kind: 'query', operation });

/** Returns a field of `Mutation`: its one argument `input` holds the fields of the operation's input. */
export const mutation = (operation: Operation): Field => ({ kind: 'mutation', operation });

/** Returns a connection over an operation that returns a page; cursors are made from the field `cursorKey` of an item. */
export const connection = (operation: Operation, cursorKey: string): Field => ({
  kind: 'query',
  operation,
  cursorKey,
});
