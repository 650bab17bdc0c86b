import { z } from 'zod';
import { givenPassword, token } from './fields.ts';

/** E.164: a plus sign, a country code that does not begin with 0, and 7 to 15 digits in all. */
const phoneNumber = z
  .string()
  .meta({ examples: ['+4915112345678'] })
  .regex(/^\+[1-9][0-9]{6,14}$/, 'must be a phone number with its country code, such as +4915112345678');

/** Digits; a code of the wrong length is simply wrong. */
const code = z
  .string()
  .meta({ examples: ['123456'] })
  .regex(/^[0-9]{1,10}$/, 'must be digits');

/** With the beginnings of numbers that may be set up, when not all may. */
export const startPhoneSetupInput = (allowedPrefixes: readonly string[]) =>
  z.strictObject({
    phone_number: phoneNumber.refine(
      number => allowedPrefixes.length === 0 || allowedPrefixes.some(prefix => number.startsWith(prefix)),
      'is in a country that is not served here',
    ),
    current_password: givenPassword,
  });

export const ConfirmPhoneSetupInput = z.strictObject({ pending_token: token, code });
export const DisablePhoneInput = z.strictObject({ current_password: givenPassword });
export const ConfirmLoginMfaInput = z.strictObject({ mfa_pending_token: token, code });
