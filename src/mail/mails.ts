import type { z } from 'zod';
import { featureMails } from '../feature-parts.ts';
import { coreMails } from './core-mails.ts';

/** Every kind of email, under the name of the function that writes it: `passwordReset`. */
export const mails = { ...coreMails, ...featureMails };

type Mails = typeof mails;

/** The function that writes an email. */
export type MailName = keyof Mails;

export const mailNames = Object.keys(mails) as MailName[];

/** The parameters of the function of an email. */
export type MailParameters<N extends MailName> = Parameters<Mails[N]['values']>[0];

type Kebab<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : S;

/** A kind of email: the name of its templates. */
export type MailKind = Kebab<MailName>;

/** The variables of the templates, by kind of email. */
export type MailVariables = { [N in MailName as Kebab<N>]: z.infer<Mails[N]['variables']> };

/** Returns the kind of email that a function writes: `password-reset` for `passwordReset`. */
export const mailKindOf = (name: MailName) =>
  name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`) as MailKind;
