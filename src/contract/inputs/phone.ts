import { z } from 'zod';
import { type CurrentPasswordRules, currentPassword, pendingToken } from './fields.ts';
import { field } from './refused.ts';

/** E.164: a plus sign, a country code that does not begin with 0, and 7 to 15 digits in all. */
export const phoneNumber = z
  .string()
  .meta({ examples: ['+4915112345678'] })
  .regex(/^\+[1-9][0-9]{6,14}$/, field('phone'))
  .describe('E.164: `+4915112345678`.');

/** Digits; a code of the wrong length is simply wrong. */
export const textedCode = z
  .string()
  .meta({ examples: ['123456'] })
  .regex(/^[0-9]{1,10}$/, field('digits'))
  .describe('The code of the text message.');

/** Returns the input schema, with the allowed prefixes of phone numbers when not all are allowed. */
export const startPhoneSetupInput = (allowedPrefixes: readonly string[], rules: CurrentPasswordRules) =>
  z.strictObject({
    phone_number: phoneNumber.refine(
      number => allowedPrefixes.length === 0 || allowedPrefixes.some(prefix => number.startsWith(prefix)),
      field('phone_country'),
    ),
    current_password: currentPassword(rules),
  });

export const ConfirmPhoneSetupInput = z.strictObject({ pending_token: pendingToken, code: textedCode });
export const disablePhoneInput = (rules: CurrentPasswordRules) =>
  z.strictObject({ current_password: currentPassword(rules) });
