import { line } from '../../config/schema/fields.ts';
import { defineFeature } from '../../feature.ts';
import { problemsOf } from './problems.ts';

interface Setting {
  graphqlTrustedDocuments?: string | undefined;
}

/** GraphQL executes the documents of a manifest alone (CONTRACT §9). On while the configuration names one. */
export const trustedDocuments = defineFeature({
  settings: {
    graphql_trusted_documents: line()
      .optional()
      .describe('Path of a JSON file of GraphQL documents by their SHA-256: only these are executed'),
  },
  isOn: ({ graphqlTrustedDocuments }: Setting) => graphqlTrustedDocuments !== undefined,
  problems: problemsOf,
  warnings: ({ graphqlTrustedDocuments, enableGraphql }: Setting & { enableGraphql: boolean }) =>
    graphqlTrustedDocuments !== undefined && !enableGraphql
      ? ['graphql_trusted_documents has no effect: enable_graphql is off.']
      : [],
  load: () => import('./open.ts'),
  commands: () => import('./command.ts'),
});
