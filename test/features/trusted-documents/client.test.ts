import { expect, test } from 'vitest';
import { table } from '../../../src/client/generated/table.ts';
import { createClient } from '../../../src/client/index.ts';
import { documentOf, ownSelection } from '../../../src/client/requests.ts';
import { clientOf, refusalOf, signIn } from '../../client/support.ts';
import { signUp, startApp } from '../../support/app.ts';
import { manifestOf, sha256 } from './manifests.ts';

test('a client names its documents by their hashes where a server trusts no others', async () => {
  const documents = ['login', 'me', 'updateProfile'].map(
    name => documentOf(table.find(([each]) => each === name)!, {}, ownSelection({ company: 'string' }))[0],
  );
  const strict = await startApp({
    settings: { userFields: { company: {} }, graphqlTrustedDocuments: await manifestOf(...documents) },
  });
  const member = await signUp(strict);
  const { storage } = clientOf(strict, 'graphql');
  const options = { url: strict.url, door: 'graphql', storage, userFields: { company: 'string' } } as const;
  const client = createClient({ ...options, sha256 });
  await signIn(client, member);
  await client.updateProfile({ fields: { company: 'Acme' } });
  expect((await client.me()).fields).toEqual({ company: 'Acme' });
  expect(await refusalOf(client.features())).toMatchObject({ code: 'invalid_document', status: 400 });
  expect(await refusalOf(createClient(options).me())).toMatchObject({ code: 'invalid_document' });
  await strict.close();
});
