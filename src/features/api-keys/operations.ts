import { z } from 'zod';
import { MessageView } from '../../contract/views/message.ts';
import type { Dependencies } from '../../domain/dependencies.ts';
import { createGetUser } from '../../services/get-user.ts';
import { english } from '../../words/words.ts';
import {
  ApiKeyIdInput,
  createApiKeyInput,
  createUserApiKeyInput,
  RenameApiKeyInput,
  UserApiKeyInput,
  UserApiKeysInput,
} from './inputs.ts';
import type { ApiKeys } from './keys.ts';
import type { OfferedScopes } from './scopes.ts';
import { ApiKeyCreated, ApiKeyList, ApiKeyView, UserApiKeys } from './views.ts';

/** API keys of the own account, and their administration (CONTRACT §17). */
export function createApiKeysService(parts: Dependencies, keys: ApiKeys, offered: OfferedScopes) {
  const { config, define } = parts;
  const getUser = createGetUser(parts);
  const rules = { scopes: offered.names, apiKeyMaxDays: config.apiKeyMaxDays };
  const access = { kind: 'superuser' } as const;

  const list = define(
    {
      name: 'apiKeys',
      at: 'GET /api-keys',
      summary: 'The API keys of the account, and what a new one may open.',
      description: 'The keys themselves are never shown again.',
      access: { kind: 'session' },
      audited: false,
      input: z.strictObject({}),
      output: ApiKeyList,
      errors: [],
    },
    async (_input, { session: { user }, caller }): Promise<ApiKeyList> => ({
      items: await keys.list(user),
      scopes: offered.items(caller.reply?.speak?.() ?? english),
    }),
  );

  const create = define(
    {
      name: 'createApiKey',
      at: 'POST /api-keys',
      status: 201,
      summary: 'Makes an API key, which is shown only now.',
      description:
        'A script sends it as `Authorization: Bearer` or `X-API-Key`. It is no session: of the operations here it opens the profile and the access tokens of its scopes.',
      access: { kind: 'session', isSensitive: true },
      limit: 'create_api_key',
      input: createApiKeyInput(rules),
      output: ApiKeyCreated,
      errors: ['email_not_verified', 'api_key_limit'],
    },
    (input, { session, caller, trail }): Promise<ApiKeyCreated> =>
      keys.createInSession(session, input, caller, trail),
  );

  const rename = define(
    {
      name: 'renameApiKey',
      at: 'PATCH /api-keys/{id}',
      summary: 'Gives an API key another name.',
      description: 'The name changes nothing else.',
      access: { kind: 'session' },
      input: RenameApiKeyInput,
      output: ApiKeyView,
      errors: ['not_found'],
    },
    ({ id, name }, { session: { user }, trail }): Promise<ApiKeyView> => {
      trail.changes = [`api_keys.${id}`];
      return keys.rename(user, id, name);
    },
  );

  const remove = define(
    {
      name: 'removeApiKey',
      at: 'DELETE /api-keys/{id}',
      summary: 'Removes an API key: it is refused at once.',
      description: 'Access tokens that were made with it end with it, too.',
      access: { kind: 'session' },
      input: ApiKeyIdInput,
      output: MessageView,
      errors: ['not_found'],
    },
    async ({ id }, { session: { user }, trail, t }): Promise<MessageView> => {
      trail.changes = [`api_keys.${id}`];
      await keys.remove(user, id, trail.by);
      return { message: t('notice_api_key_removed') };
    },
  );

  const listOfUser = define(
    {
      name: 'userApiKeys',
      at: 'GET /admin/users/{id}/api-keys',
      summary: 'The API keys of an account.',
      description: 'The keys themselves are never shown.',
      access,
      audited: 'people',
      input: UserApiKeysInput,
      output: UserApiKeys,
      errors: ['not_found'],
    },
    async ({ id }, { trail }): Promise<UserApiKeys> => {
      const user = await getUser(id, trail);
      return { items: await keys.list(user) };
    },
  );

  const removeOfUser = define(
    {
      name: 'adminRemoveApiKey',
      at: 'DELETE /admin/users/{id}/api-keys/{key_id}',
      summary: 'Removes an API key of an account.',
      description: 'It is refused at once.',
      access,
      input: UserApiKeyInput,
      output: MessageView,
      errors: ['not_found'],
    },
    async ({ id, key_id }, { trail, t }): Promise<MessageView> => {
      const user = await getUser(id, trail);
      trail.changes = [`api_keys.${key_id}`];
      await keys.remove(user, key_id, trail.by);
      return { message: t('notice_api_key_removed') };
    },
  );

  const removeAllOfUser = define(
    {
      name: 'adminRemoveApiKeys',
      at: 'DELETE /admin/users/{id}/api-keys',
      summary: 'Removes every API key of an account.',
      description: 'They are refused at once.',
      access,
      input: UserApiKeysInput,
      output: MessageView,
      errors: ['not_found'],
    },
    async ({ id }, { trail, t }): Promise<MessageView> => {
      const user = await getUser(id, trail);
      trail.changes = ['api_keys'];
      const removed = await keys.removeAll(user, trail.by);
      return { message: t('notice_api_keys_removed', { removed }) };
    },
  );

  const createForUser = define(
    {
      name: 'createUserApiKey',
      summary: 'Makes an API key for an account.',
      access,
      input: createUserApiKeyInput(rules),
      output: ApiKeyCreated,
      errors: ['not_found', 'account_disabled', 'email_not_verified', 'api_key_limit', 'unauthenticated'],
    },
    async ({ id, ...wanted }, { trail }): Promise<ApiKeyCreated> =>
      keys.createFor(await getUser(id, trail), wanted, trail),
  );

  return {
    own: { list, create, rename, remove },
    administration: { listOfUser, removeOfUser, removeAllOfUser },
    createForUser,
  };
}
