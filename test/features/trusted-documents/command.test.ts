import { expect, test } from 'vitest';
import { validate } from '../../cli/support.ts';
import { manifestOf, sha256 } from '../../support/trusted-documents.ts';

test('trusted documents are checked against the schema of the configuration', async () => {
  const path = await manifestOf('{ me { id } }');
  const { code, of } = await validate({ SVC_GRAPHQL_TRUSTED_DOCUMENTS: path });
  expect([code, of('graphql')]).toEqual([
    0,
    [{ name: 'graphql', outcome: 'ok', detail: `only the 1 documents of ${path} are executed` }],
  ]);
  const wrong = await manifestOf('{ me { id } }', '{ me { nobody } }');
  const second = await validate({ SVC_GRAPHQL_TRUSTED_DOCUMENTS: wrong });
  expect([second.code, second.failed]).toEqual([
    1,
    [
      {
        name: 'graphql',
        outcome: 'fail',
        detail: `${wrong}: ${sha256('{ me { nobody } }')}: Cannot query field "nobody" on type "User".`,
      },
    ],
  ]);
  expect((await validate({ SVC_ENABLE_GRAPHQL: 'false' })).of('graphql')[0]).toMatchObject({ outcome: 'ok' });
});
