import { z } from 'zod';
import { setupChoices, setupId } from '../../contract/inputs/authenticators.ts';
import { field } from '../../contract/inputs/refused.ts';

export const ConfirmTotpSetupInput = z.strictObject({
  id: setupId,
  code: z.string().max(64, field('too_long__code')).describe('The code that the app shows now.'),
  ...setupChoices,
});
