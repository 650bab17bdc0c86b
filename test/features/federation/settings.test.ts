import { join } from 'node:path';
import { expect, test } from 'vitest';
import { developmentSettings } from '../../../src/cli/development.ts';
import { features } from '../../../src/feature-parts.ts';
import { load, problemOf } from '../../config/support.ts';

const on = { SVC_ENABLE_FEDERATION: 'true' };

test('is off by default', () => {
  expect(load().config.enableFederation).toBe(false);
});

test('needs GraphQL', () => {
  const problem = problemOf({ env: { ...on, SVC_ENABLE_GRAPHQL: 'false' } });
  expect(problem).toMatch(/SVC_ENABLE_GRAPHQL: must be true with enable_federation$/);
});

test.runIf('trustedDocuments' in features)(
  'documents are trusted at the gateway, and not here as well',
  () => {
    const path = join(import.meta.dirname, '../../fixtures/no-documents.json');
    const problem = problemOf({ env: { ...on, SVC_GRAPHQL_TRUSTED_DOCUMENTS: path } });
    expect(problem).toMatch(/SVC_GRAPHQL_TRUSTED_DOCUMENTS: can't be set with enable_federation/);
  },
);

test('is on in development where what it needs is there', () => {
  const of = (env: Record<string, string>) => developmentSettings(load({ env }).config);
  expect(of({})).toMatchObject({ enableFederation: true });
  expect(of({ SVC_ENABLE_GRAPHQL: 'false' })).not.toHaveProperty('enableFederation');
});
