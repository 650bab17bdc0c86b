import { z } from 'zod';

/** `everywhere` ends every session of the user, not only this one. */
export const LogoutInput = z.strictObject({
  everywhere: z.boolean().nullish().describe('True ends every session of the user, not only this one.'),
});
