import { z } from 'zod';
import { type CurrentPasswordRules, currentPassword, email, token } from './fields.ts';

export const changeEmailInput = (rules: CurrentPasswordRules) =>
  z.strictObject({ current_password: currentPassword(rules), new_email: email });
export const ConfirmEmailChangeInput = z.strictObject({ token });
