import { z } from 'zod';
import { email, givenPassword } from './fields.ts';

export const LoginInput = z.strictObject({ email, password: givenPassword });
