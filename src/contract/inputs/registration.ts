import { z } from 'zod';
import type { OwnData } from '../own-fields.ts';
import { email, fullName, type NewPasswordRules, newPassword, token } from './fields.ts';
import { localeInput } from './locale.ts';
import { fieldsOfRegistration } from './own-fields.ts';

export const registerInput = (rules: OwnData & NewPasswordRules) =>
  z.strictObject({
    email,
    password: newPassword(rules),
    full_name: fullName,
    ...localeInput(rules, 'The language of emails and text messages; that of the request when absent.'),
    ...fieldsOfRegistration(rules),
  });

/** The password replaces the registered one; without it a contested registration has none. */
export const verifyInput = (rules: NewPasswordRules) =>
  z.strictObject({
    token,
    password: newPassword(rules)
      .nullish()
      .describe(
        'Replaces the registered password; required where the address was registered more than once.',
      ),
  });
export const ResendVerificationInput = z.strictObject({ email });
