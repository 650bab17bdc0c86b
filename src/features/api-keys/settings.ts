import { z } from 'zod';
import { flag, whole } from '../../config/schema/fields.ts';

export const settings = {
  enable_api_keys: flag(false).describe(
    'API keys: people make keys for scripts, which count at `GET /me` and at what the host opens to them',
  ),
  api_key_prefix: z
    .string('must be a string')
    .regex(/^[a-z][a-z0-9]{1,11}$/, 'must be 2 to 12 lower-case letters and digits that begin with a letter')
    .default('svc')
    .describe('How new API keys begin: `svc_key_…`. Keys with a former prefix stay valid'),
  api_keys_per_user: whole(1, 1000)
    .default(20)
    .describe('API keys that one account may have; expired ones do not count'),
  api_key_default_days: whole(1, 3650).default(90).describe('Lifetime of an API key for which none is named'),
  api_key_max_days: whole(0, 3650)
    .default(365)
    .describe('Longest lifetime of an API key; 0: it may be without end'),
};

/** The part of the configuration that is about API keys. */
export interface ApiKeySettings {
  enableApiKeys: boolean;
  apiKeyPrefix: string;
  apiKeysPerUser: number;
  apiKeyDefaultDays: number;
  apiKeyMaxDays: number;
}
