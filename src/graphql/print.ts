import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';

/** The schema as `schema.graphql` holds it: sorted, so that a change shows as a change and nothing else. */
export function printGraphQLSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
