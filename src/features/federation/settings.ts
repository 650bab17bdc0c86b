import type { TogetherProblem } from '../../config/prefixes.ts';
import { flag } from '../../config/schema/fields.ts';
import type { Given } from '../../feature.ts';

export const settings = {
  enable_federation: flag(false).describe(
    'GraphQL is a subgraph of Apollo Federation 2, with `User` as an entity',
  ),
};

/** Returns the problems with what it needs. Documents are trusted at the gateway, which writes those that come here. */
export function problemsOf(given: Given): TogetherProblem[] {
  if (given.enable_federation !== true) return [];
  return [
    ...(given.enable_graphql === false
      ? [{ path: ['enable_graphql'], message: 'must be true with enable_federation' }]
      : []),
    ...(given.graphql_trusted_documents
      ? [
          {
            path: ['graphql_trusted_documents'],
            message: "can't be set with enable_federation: have the gateway trust documents",
          },
        ]
      : []),
  ];
}
