import { z } from 'zod';
import { defineFeature } from '../../feature.ts';
import { mails } from './mails.ts';
import { type ApiKeyRows, createApiKeyRows } from './rows.ts';
import { type ApiKeySettings, settings } from './settings.ts';
import { keptDays, apiKeys as table } from './table.ts';

export interface KeyPurge {
  repositories: { api_keys: ApiKeyRows };
  before(days: number): Date;
}

/** API keys: a script acts for a person, with the scopes of the key (CONTRACT §17). */
export const apiKeys = defineFeature({
  settings,
  isOn: ({ enableApiKeys }: ApiKeySettings) => enableApiKeys,
  usesResources: true,
  serverApi: { flag: 'enable_api_keys', members: { apiKeys: ['create', 'list', 'remove', 'verify'] } },
  tables: { api_keys: table },
  repositories: { api_keys: createApiKeyRows },
  purges: {
    api_keys: ({ repositories, before }: KeyPurge) => repositories.api_keys.purge(before(keptDays)),
  },
  limits: {
    create_api_key: { counts: 'POST /api-keys', usual: '10/minute;60/hour' },
    api_key: { counts: 'requests with an API key that is not found', usual: '60/minute' },
  },
  shown: { api_keys: z.boolean().describe('Whether people can make API keys for scripts.') },
  mails,
  newPasswordFields: {
    end_api_keys: z
      .boolean()
      .nullish()
      .describe('True removes the API keys of the account, which a new password leaves otherwise.'),
  },
  asked: { enable_api_keys: { label: 'Will scripts use API keys?', byDefault: false } },
  development: () => ({ enableApiKeys: true }),
  sample: { enableApiKeys: true },
  load: () => import('./open.ts'),
  commands: () => import('./command.ts'),
});
