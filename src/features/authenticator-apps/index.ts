import { z } from 'zod';
import { flag, whole } from '../../config/schema/fields.ts';
import { defineFeature } from '../../feature.ts';
import { factor } from './factor.ts';

interface Flag {
  enableTotp: boolean;
}

/** Authenticator apps (TOTP) as a second factor (CONTRACT §9.1). */
export const authenticatorApps = defineFeature({
  settings: {
    enable_totp: flag(false).describe('Authenticator apps (TOTP) as a second factor'),
    totp_tolerance_steps: whole(0, 1)
      .default(1)
      .describe('How many codes before and after the present one of an app are right: 0 or 1'),
  },
  isOn: ({ enableTotp }: Flag) => enableTotp,
  factor,
  encryptsWith: 'enable_totp',
  limits: { totp_confirm: { counts: 'POST /totp/confirm', usual: '30/minute;300/hour' } },
  shown: { totp: z.boolean().describe('Whether an authenticator app can be set up as the second factor.') },
  asked: { enable_totp: { label: 'Authenticator apps as a second factor', byDefault: true } },
  development: () => ({ enableTotp: true }),
  sample: { enableTotp: true },
  load: () => import('./open.ts'),
});
