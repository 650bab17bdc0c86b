import { z } from 'zod';
import { email, givenPassword, token } from './fields.ts';

export const ChangeEmailInput = z.strictObject({ current_password: givenPassword, new_email: email });
export const ConfirmEmailChangeInput = z.strictObject({ token });
