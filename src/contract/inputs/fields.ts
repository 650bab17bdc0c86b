import { z } from 'zod';
import { lengthOfPassword, longestPassword, normalisePassword } from '../../password-text.ts';
import { field, refused } from './refused.ts';

/** The grammar of a valid email address: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address */
const whatwgEmail =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
const longestEmail = 254;
/** The domain of made-up addresses of external accounts; `.invalid` never resolves (RFC 2606 §2). */
export const reservedDomain = 'oauth.invalid';

/** Control characters, line separators, and characters that reverse or isolate the direction of text (UAX #9). */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * Removes ASCII white space at both ends, as HTML does for email inputs. Each run of it is examined once, from its
 * beginning: a search from every position in it would take quadratic time (ReDoS).
 */
const trimAscii = (text: string) => text.replace(/^[\t\n\f\r ]+|(?<![\t\n\f\r ])[\t\n\f\r ]+$/g, '');

/**
 * Returns whether a text is an address. Checked before lower-casing, because that turns some letters beyond ASCII into
 * ASCII.
 */
const isEmail = (text: string) => text.length <= longestEmail && whatwgEmail.test(text);

/** An address of an account, made-up ones included. */
export const anyEmail = z
  .string()
  .meta({ format: 'email', examples: ['ada@example.org'] })
  .transform(trimAscii)
  .refine(isEmail, refused('email', { most: longestEmail }))
  .transform(text => text.toLowerCase());

/** An email address, trimmed and lower-cased: the one form in which addresses are stored and compared. */
export const email = anyEmail
  .refine(
    text => !text.endsWith(`@${reservedDomain}`),
    refused('email__reserved', { domain: reservedDomain }),
  )
  .describe('An email address, in any case.');

/** A password in any form of its characters. */
const passwordText = z
  .string()
  .meta({ format: 'password', examples: ['correct horse battery'] })
  .refine(text => text.isWellFormed(), field('unicode'));

/** How long a password to set must be; the other rules need to know whose it is. */
export interface NewPasswordRules {
  /** In code points; from 8 to 64. */
  passwordMinLength: number;
}

/** A password to set: its length is counted in Unicode code points after normalisation, and it is never trimmed. */
export const newPassword = ({ passwordMinLength }: NewPasswordRules) =>
  passwordText
    .transform(normalisePassword)
    .refine(
      text => lengthOfPassword(text) >= passwordMinLength,
      refused('too_short', { least: passwordMinLength, most: longestPassword }),
    )
    .refine(
      text => lengthOfPassword(text) <= longestPassword,
      refused('too_long__range', { least: passwordMinLength, most: longestPassword }),
    )
    .describe(`${passwordMinLength} to ${longestPassword} characters.`);

/**
 * A password to check; any length is accepted, because it is simply right or wrong. It stays as it was typed, because a
 * hash that was imported may be of that form.
 */
export const givenPassword = passwordText.describe('The current password.');

/** The input of an operation that asks for the present password again. */
export interface CurrentPasswordRules {
  /** Whether an account without a password may leave it out (CONTRACT §9.5). */
  canLeaveOut: boolean;
}

/** The present password, asked for again. */
export const currentPassword = ({
  canLeaveOut,
}: CurrentPasswordRules): z.ZodType<string | null | undefined> =>
  canLeaveOut
    ? givenPassword
        .nullish()
        .describe('The present password. Only an account without one leaves it out, after a recent sign-in.')
    : givenPassword;

/** A text that people read in a list, where it must not change how its neighbours look. */
export const displayed = z
  .string()
  .refine(text => text.isWellFormed() && !unprintable.test(text), field('control_characters'));

/** A person's name, or null; an empty text becomes null. */
export const fullName = displayed
  .meta({ maxLength: 200, examples: ['Ada Lovelace'] })
  .transform(text => text.trim())
  .refine(text => [...text].length <= 200, refused('too_long', { most: 200 }))
  .transform(text => text || null)
  .nullish()
  .describe('At most 200 characters; null clears it.');

/** A token of a link; a text of any other form is simply an unknown token. */
export const token = z
  .string()
  .meta({ examples: ['i-kpOUzHkw2oI54PkbFGBjel1lr5sTQflHwYhkYOJUY'] })
  .min(1, field('required'))
  .max(4096, field('too_long__token'))
  .describe('The token of the link in the email.');

/** A token that a first step returned. */
export const pendingToken = token.describe('The pending token of the first step.');
