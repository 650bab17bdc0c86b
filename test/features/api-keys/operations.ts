import { asAdmin, type Calls, type Site, signedIn } from '../../doors/site.ts';
import { message, mutation, query } from '../../support/operations.ts';

const key = '{ id name hint scopes createdAt expiresAt lastUsedAt lastUsedIp isExpired isDistrusted }';

export const settings = { enableApiKeys: true };

export const operations = {
  apiKeys: query('GET /api-keys', 'apiKeys', `{ items ${key} scopes { name description resource } }`),
  createApiKey: mutation('POST /api-keys', 'createApiKey', 'CreateApiKeyInput!', `{ apiKey ${key} key }`),
  renameApiKey: mutation('PATCH /api-keys/:id', 'renameApiKey', 'RenameApiKeyInput!', key),
  removeApiKey: mutation('DELETE /api-keys/:id', 'removeApiKey', 'RemoveApiKeyInput!', message),
  userApiKeys: query('GET /admin/users/:id/api-keys', 'userApiKeys', key, { id: 'ID!' }),
  adminRemoveApiKey: mutation(
    'DELETE /admin/users/:id/api-keys/:key_id',
    'adminRemoveApiKey',
    'AdminRemoveApiKeyInput!',
    message,
  ),
  adminRemoveApiKeys: mutation(
    'DELETE /admin/users/:id/api-keys',
    'adminRemoveApiKeys',
    'AdminRemoveApiKeysInput!',
    message,
  ),
};

/** Makes a key of the ordinary account, and answers its id. */
async function withKey({ app, member }: Site): Promise<string> {
  const input = { name: 'Report', scopes: ['profile'] };
  const { body } = await app.rest('POST', '/api-keys', input, { token: member.token });
  return body.api_key.id;
}

const nobody = '019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081';

export const calls: Calls<typeof operations> = {
  apiKeys: { good: signedIn(), bad: null },
  createApiKey: {
    good: signedIn({ name: 'Report', scopes: ['profile'] }),
    bad: async site => {
      await site.app.gatehouse.repositories.users.change(site.member.id, { set: { isVerified: false } });
      return { input: { name: 'Report', scopes: ['profile'] }, token: site.member.token };
    },
  },
  renameApiKey: {
    good: async site => ({ input: { id: await withKey(site), name: 'Other' }, token: site.member.token }),
    bad: signedIn({ id: nobody, name: 'Other' }),
  },
  removeApiKey: {
    good: async site => ({ input: { id: await withKey(site) }, token: site.member.token }),
    bad: signedIn({ id: nobody }),
  },
  userApiKeys: {
    good: asAdmin(({ member }) => ({ id: member.id })),
    bad: asAdmin(() => ({ id: nobody })),
  },
  adminRemoveApiKey: {
    good: asAdmin(async site => ({ id: site.member.id, key_id: await withKey(site) })),
    bad: asAdmin(({ member }) => ({ id: member.id, key_id: nobody })),
  },
  adminRemoveApiKeys: {
    good: asAdmin(({ member }) => ({ id: member.id })),
    bad: asAdmin(() => ({ id: nobody })),
  },
};

export const unaudited: (keyof typeof operations)[] = ['apiKeys'];
