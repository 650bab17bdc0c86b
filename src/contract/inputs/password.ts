import { z } from 'zod';
import {
  type CurrentPasswordRules,
  currentPassword,
  email,
  type NewPasswordRules,
  newPassword,
  token,
} from './fields.ts';

export const changePasswordInput = (rules: CurrentPasswordRules & NewPasswordRules) =>
  z.strictObject({ current_password: currentPassword(rules), new_password: newPassword(rules) });
export const ForgotPasswordInput = z.strictObject({ email });
export const resetPasswordInput = (rules: NewPasswordRules) =>
  z.strictObject({ token, new_password: newPassword(rules) });
