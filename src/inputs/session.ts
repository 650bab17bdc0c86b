import { z } from 'zod';

/** `everywhere` ends every session of the user, not this one alone. */
export const LogoutInput = z.strictObject({ everywhere: z.boolean().nullish() });
