import type { PasswordReset, PasswordService } from '../services/password.ts';
import { type Field, mutation } from './field.ts';

export const passwordFields = ({ changePassword }: PasswordService): Field[] => [mutation(changePassword)];

export const passwordResetFields = ({ forgotPassword, resetPassword }: PasswordReset): Field[] => [
  mutation(forgotPassword),
  mutation(resetPassword),
];
