import { z } from 'zod';
import { type CurrentPasswordRules, currentPassword, email, givenPassword, token } from './fields.ts';

export const changeEmailInput = (rules: CurrentPasswordRules) =>
  z.strictObject({ current_password: currentPassword(rules), new_email: email });

/** @param needsAccount `email_change_needs_account`; without it the input is as SPEC.md has it */
export const confirmEmailChangeInput = (
  needsAccount: boolean,
): z.ZodType<{ token: string; password?: string | null | undefined }> => {
  const input = z.strictObject({ token });
  const proof = givenPassword
    .nullish()
    .describe('The password of the account; its session may stand in its place.');
  return needsAccount ? input.extend({ password: proof }) : input;
};
