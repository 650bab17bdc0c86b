import { z } from 'zod';
import { field } from '../../contract/inputs/refused.ts';

export const WebhookNameInput = z.strictObject({
  name: z.string().max(100, field('too_long')).describe('The name of the webhook in the configuration.'),
});
