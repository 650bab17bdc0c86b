import { z } from 'zod';
import {
  type CurrentPasswordRules,
  currentPassword,
  email,
  type NewPasswordRules,
  newPassword,
  token,
} from './fields.ts';

/** `more` are fields of features, which read them by themselves. */
export const changePasswordInput = (
  rules: CurrentPasswordRules & NewPasswordRules,
  more: Record<never, never>,
) => z.strictObject({ current_password: currentPassword(rules), new_password: newPassword(rules), ...more });
export const ForgotPasswordInput = z.strictObject({ email });
export const resetPasswordInput = (rules: NewPasswordRules, more: Record<never, never>) =>
  z.strictObject({ token, new_password: newPassword(rules), ...more });
