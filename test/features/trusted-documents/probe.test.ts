import { expect, test } from 'vitest';
import { checkOf, everybodyIn, only, probed, startDeployment } from '../../validate/deployment/deployment.ts';
import { manifestOf } from './manifests.ts';

test('a deployment is walked through where GraphQL executes only trusted documents', async () => {
  const own = await startDeployment({ graphqlTrustedDocuments: await manifestOf('{ me { id } }') });
  const checks = await probed(own, { skip: only('graphql', 'profile') });
  expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
  expect(checkOf(checks, 'graphql')).toMatchObject({
    outcome: 'skip',
    detail: 'executes only trusted documents (graphql_trusted_documents)',
  });
  expect(await everybodyIn(own)).toEqual([]);
  await own.close();
});
