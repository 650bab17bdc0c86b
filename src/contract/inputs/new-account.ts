import { z } from 'zod';
import type { Level, OwnData } from '../own-fields.ts';
import { email, fullName, type NewPasswordRules, newPassword } from './fields.ts';
import { localeInput } from './locale.ts';
import { fieldsOfNewAccount, rolesOfNewAccount } from './own-fields.ts';
import { field } from './refused.ts';

const ofEverybody = (rules: OwnData, level: Level) => ({
  email,
  full_name: fullName,
  is_verified: z
    .boolean()
    .nullish()
    .describe('True when you know that the address is that of the owner; false when absent.'),
  ...localeInput(rules, 'The language of emails and text messages; the default one when absent.'),
  ...fieldsOfNewAccount(rules, level),
  ...rolesOfNewAccount(rules),
});

const invite = z.boolean().nullish();

/** The input by which administration makes an account: neither a superuser nor a password. */
const adminCreateUserInput = (rules: OwnData) =>
  z.strictObject({
    ...ofEverybody(rules, 'admin'),
    invite: invite.describe('Whether its owner is emailed a link to choose a password; true when absent.'),
  });

/** The input by which the host makes an account. */
const hostCreateUserInput = (rules: OwnData & NewPasswordRules) =>
  z
    .strictObject({
      ...ofEverybody(rules, 'host'),
      password: newPassword(rules).nullish(),
      is_superuser: z.boolean().nullish().describe('Whether the account may use administration.'),
      even_unverified: z
        .boolean()
        .nullish()
        .describe('Required to make an account a superuser whose address is not verified.'),
      invite: invite.describe('Whether its owner is emailed a link to choose a password; false when absent.'),
    })
    .refine(({ password, invite }) => password == null || !invite, {
      path: ['invite'],
      message: field('invite'),
    });

type NewAccount = z.infer<ReturnType<typeof hostCreateUserInput>>;

export const newAccountInput = (rules: OwnData & NewPasswordRules, level: Level): z.ZodType<NewAccount> =>
  level === 'host' ? hostCreateUserInput(rules) : adminCreateUserInput(rules);
