import { z } from 'zod';
import { email, givenPassword, newPassword, token } from './fields.ts';

export const ChangePasswordInput = z.strictObject({
  current_password: givenPassword,
  new_password: newPassword,
});
export const ForgotPasswordInput = z.strictObject({ email });
export const ResetPasswordInput = z.strictObject({ token, new_password: newPassword });
