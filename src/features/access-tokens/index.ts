import { z } from 'zod';
import { defineFeature } from '../../feature.ts';
import { createSigningKeyRows, type SigningKeyRows } from './rows.ts';
import { problemsOf, settings, type TokenSettings } from './settings.ts';
import { signingKeys } from './table.ts';

export interface KeyPurge {
  repositories: { signing_keys: SigningKeyRows };
  before(days: number): Date;
}

/** Access tokens that other services check by published keys (CONTRACT §16). */
export const accessTokens = defineFeature({
  settings,
  isOn: ({ enableTokens }: TokenSettings) => enableTokens,
  usesResources: true,
  problems: problemsOf,
  serverApi: { flag: 'enable_tokens', members: { resource: null, tokens: ['issue', 'verify'] } },
  encryptsWith: 'enable_tokens',
  tables: { signing_keys: signingKeys },
  repositories: { signing_keys: createSigningKeyRows },
  purges: {
    signing_keys: ({ repositories, before }: KeyPurge) => repositories.signing_keys.purge(before(0)),
  },
  limits: {
    tokens: { counts: 'POST /tokens', usual: '60/minute;1200/hour' },
    revoke: { counts: 'POST /oauth2/revoke', usual: '60/minute;600/hour' },
  },
  asked: {
    enable_tokens: { label: 'Will other services check who is signed in?', byDefault: false },
  },
  shown: {
    tokens: z.boolean().describe('Whether there are access tokens that other services check.'),
  },
  development: () => ({ enableTokens: true }),
  sample: { enableTokens: true },
  pages: ({ enableTokens }: TokenSettings) => ({ has_signing_keys: enableTokens }),
  load: () => import('./open.ts'),
  commands: () => import('./command.ts'),
});
