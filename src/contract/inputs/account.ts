import { z } from 'zod';
import { type CurrentPasswordRules, currentPassword } from './fields.ts';

export const deleteAccountInput = (rules: CurrentPasswordRules) =>
  z.strictObject({ current_password: currentPassword(rules) });
