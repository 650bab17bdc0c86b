import { z } from 'zod';

export const WebhookNameInput = z.strictObject({
  name: z
    .string()
    .max(100, 'must have at most 100 characters')
    .describe('The name of the webhook in the configuration.'),
});
