import { z } from 'zod';
import { flag } from '../../config/schema/fields.ts';
import { defineFeature } from '../../feature.ts';
import { factor } from './factor.ts';

interface Flag {
  enableTotp: boolean;
}

/** Authenticator apps (TOTP) as a second factor (CONTRACT §9.1). */
export const authenticatorApps = defineFeature({
  settings: { enable_totp: flag(false).describe('Authenticator apps (TOTP) as a second factor') },
  isOn: ({ enableTotp }: Flag) => enableTotp,
  factor,
  encryptsWith: 'enable_totp',
  limits: { totp_confirm: { counts: 'POST /totp/confirm', usual: '30/minute;300/hour' } },
  shown: { totp: z.boolean().describe('Whether an authenticator app can be set up as the second factor.') },
  show: ({ enableTotp }: Flag) => ({ totp: enableTotp }),
  asked: { enable_totp: { label: 'Authenticator apps as a second factor', byDefault: true } },
  development: () => ({ enableTotp: true }),
  sample: { enableTotp: true },
  load: () => import('./open.ts'),
});
