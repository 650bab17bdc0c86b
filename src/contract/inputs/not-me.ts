import { z } from 'zod';
import { givenPassword, type NewPasswordRules, newPassword, token } from './fields.ts';

export const reportNotMeInput = (rules: NewPasswordRules) =>
  z.strictObject({
    token,
    password: givenPassword
      .nullish()
      .describe('The password that was in force just before what the email reports.'),
    new_password: newPassword(rules).nullish(),
  });
