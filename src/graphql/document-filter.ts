import type { GraphQLSchema } from 'graphql';

/** Decides which documents are executed. */
export interface DocumentFilter {
  /**
   * Returns a call with the text of the document to execute. A body that is no call is returned as it is: the server package
   * refuses it.
   * @throws {GatehouseError} invalid_document
   */
  resolve(call: unknown): unknown;
  /**
   * The same for the query of a GET; without a document it is returned as it is.
   * @throws {GatehouseError} invalid_document
   */
  resolveQuery(query: string): string;
}

export interface Introspection {
  /** Whether documents that only introspect the schema are executed. */
  introspection: boolean;
}

/** The documents that alone are executed. */
export interface OnlyDocuments {
  filter(options: Introspection): Promise<DocumentFilter>;
  /** @throws {ConfigError} with each one that does not fit the schema */
  assertFit(schema: GraphQLSchema, options: Introspection): Promise<void>;
}
