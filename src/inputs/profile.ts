import { z } from 'zod';
import { fullName } from './fields.ts';

/** An absent name stays as it is; null clears it. */
export const UpdateProfileInput = z.strictObject({ full_name: fullName });
