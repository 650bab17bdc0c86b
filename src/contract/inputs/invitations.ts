import { z } from 'zod';
import { type NewPasswordRules, newPassword, token } from './fields.ts';

export const acceptInvitationInput = (rules: NewPasswordRules) =>
  z.strictObject({ token, password: newPassword(rules) });
