import { expect, test } from 'vitest';
import { table } from '../../../src/client/generated/table.ts';
import { administration, apiKeys, createClient, tokens } from '../../../src/client/index.ts';
import { documentOf, ownSelection } from '../../../src/client/requests.ts';
import { svc } from '../../cli/support.ts';
import { clientOf, refusalOf, signIn } from '../../client/support.ts';
import { dataEncryptionKey, signUp, startApp } from '../../support/app.ts';
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

test('what svc documents prints is enough for a client of every form with every module', async () => {
  const { code, stdout } = await svc(['documents'], {
    env: {
      SVC_USER_FIELDS__company__LABEL: 'Company',
      SVC_ROLES: 'editor',
      SVC_LOCALES: 'en,de',
      SVC_ENABLE_ADMIN_ROUTER: 'true',
      SVC_ENABLE_API_KEYS: 'true',
      SVC_ENABLE_TOKENS: 'true',
      SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey,
      SVC_RESOURCES__orders__IDENTIFIER: 'https://api.example.org',
      SVC_RESOURCES__orders__SCOPES: '{"read":"See your orders"}',
    },
  });
  expect(code).toBe(0);
  const documents: Record<string, string> = JSON.parse(stdout);
  const strict = await startApp({
    settings: {
      ...{ userFields: { company: {} }, roles: ['editor'], locales: ['en', 'de'], dataEncryptionKey },
      ...{ enableAdminRouter: true, enableApiKeys: true, enableTokens: true },
      resources: { orders: { identifier: 'https://api.example.org', scopes: { read: 'See your orders' } } },
      graphqlTrustedDocuments: await manifestOf(...Object.values(documents)),
    },
  });
  const member = await signUp(strict);
  await strict.gatehouse.repositories.users.change(member.id, { set: { isSuperuser: true } });
  const forms = [undefined, true].flatMap(hasLocales =>
    [{}, { userFields: { company: 'string' } } as const].flatMap(fields =>
      [{}, { roles: ['editor'] } as const].map(roles => ({ hasLocales, ...fields, ...roles })),
    ),
  );
  for (const form of forms) {
    const { storage } = clientOf(strict, 'graphql');
    const modules = [administration, apiKeys, tokens] as const;
    const client = createClient({
      ...{ url: strict.url, door: 'graphql', storage, sha256, with: modules },
      ...form,
    });
    await signIn(client, member);
    expect('locale' in (await client.me())).toBe(form.hasLocales === true);
    expect('locale' in (await client.user({ id: member.id }))).toBe(form.hasLocales === true);
    const { apiKey } = await client.createApiKey({ name: 'Report', scopes: ['read'] });
    expect((await client.apiKeys()).items).toContainEqual(apiKey);
    const issued = await client.issueAccessToken({ resource: 'https://api.example.org' });
    expect(issued.tokenType).toBe('Bearer');
  }
  await strict.close();
});
