import { z } from 'zod';
import { givenPassword } from './fields.ts';

export const DeleteAccountInput = z.strictObject({ current_password: givenPassword });
