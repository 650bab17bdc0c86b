import { z } from 'zod';
import { setupChoices, setupId } from '../../contract/inputs/authenticators.ts';

export const ConfirmTotpSetupInput = z.strictObject({
  id: setupId,
  code: z.string().max(64, 'is too long for a code').describe('The code that the app shows now.'),
  ...setupChoices,
});
