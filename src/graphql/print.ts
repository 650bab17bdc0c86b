import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';

/** Returns the text of `schema.graphql`: sorted, so that a difference always means a change. */
export function printGraphQLSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
