import { defineFeature } from '../../feature.ts';
import { problemsOf, settings } from './settings.ts';

interface Setting {
  enableFederation: boolean;
}

interface Graph {
  enableGraphql: boolean;
  graphqlTrustedDocuments?: string | undefined;
}

/** GraphQL as a subgraph of Apollo Federation 2 (CONTRACT §16.6). */
export const federation = defineFeature({
  settings,
  isOn: ({ enableFederation }: Setting) => enableFederation,
  problems: problemsOf,
  development: ({ enableGraphql, graphqlTrustedDocuments }: Graph) =>
    enableGraphql && graphqlTrustedDocuments === undefined ? { enableFederation: true } : {},
  schemaForm: {
    option: 'federation',
    text: 'print it as a subgraph of Apollo Federation 2, for the composition of a supergraph',
    load: () => import('./print.ts'),
  },
  sample: { enableFederation: true },
  load: () => import('./open.ts'),
});
