import { z } from 'zod';
import { email, fullName, newPassword, token } from './fields.ts';

export const RegisterInput = z.strictObject({ email, password: newPassword, full_name: fullName });
export const VerifyInput = z.strictObject({ token });
export const ResendVerificationInput = z.strictObject({ email });
