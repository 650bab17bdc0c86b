import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types for every document of operations.graphql, from the schema that Gatehouse ships. Apart, as a build needs none of it. */
const config: CodegenConfig = {
  schema: '../../../schema.graphql',
  documents: '../src/operations.graphql',
  generates: {
    '../src/operations.ts': {
      plugins: ['typescript', 'typescript-operations', 'typed-document-node'],
      config: {
        documentMode: 'string',
        onlyOperationTypes: true,
        skipTypename: true,
        useTypeImports: true,
        scalars: { DateTime: 'string' },
      },
    },
  },
};

export default config;
