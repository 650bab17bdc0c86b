import { z } from 'zod';

/** https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address */
const whatwgEmail =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
const longestEmail = 254;
/** The domain of made-up addresses of external accounts; `.invalid` never resolves (RFC 2606 §2). */
const reservedDomain = 'oauth.invalid';

/** Control characters, line separators, and what reverses or isolates the direction of text (UAX #9). */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * Strips what HTML strips from an address: ASCII white space at both ends. Each run of it is looked at once, from its
 * beginning: a search from every place in it would take the square of its length.
 */
const trimAscii = (text: string) => text.replace(/^[\t\n\f\r ]+|(?<![\t\n\f\r ])[\t\n\f\r ]+$/g, '');

/** Is checked before lower-casing, because some letters beyond ASCII become ASCII by it. */
const isEmail = (text: string) => text.length <= longestEmail && whatwgEmail.test(text);

/** An address, trimmed and lower-cased: the one form in which addresses are stored and compared. */
export const email = z
  .string()
  .meta({ format: 'email', examples: ['ada@example.org'] })
  .transform(trimAscii)
  .refine(isEmail, 'must be an email address of at most 254 ASCII characters')
  .transform(text => text.toLowerCase())
  .refine(text => !text.endsWith(`@${reservedDomain}`), `can't be an address at ${reservedDomain}`);

/**
 * No password has a form of more UTF-16 units: four characters at most become one (UAX #15). Longer texts stay as they
 * are, because sorting their accents would take the square of their length.
 */
const longestForm = 1024;

/** Compatibility forms of one character are the same password on every keyboard (NIST SP 800-63B §5.1.1.2). */
const normalised = z
  .string()
  .meta({ format: 'password', examples: ['correct horse battery'] })
  .refine(text => text.isWellFormed(), 'must be well-formed Unicode')
  .transform(text => (text.length > longestForm ? text : text.normalize('NFKC')));

/** A password to be set: 8 to 128 Unicode code points after normalisation, never trimmed. */
export const newPassword = normalised.refine(text => {
  const length = [...text].length;
  return length >= 8 && length <= 128;
}, 'must have 8 to 128 characters');

/** A password to be checked: whatever its length, it is right or wrong. */
export const givenPassword = normalised;

/** A person's name, or null; an empty one is none. */
export const fullName = z
  .string()
  .meta({ maxLength: 200, examples: ['Ada Lovelace'] })
  .refine(
    text => text.isWellFormed() && !unprintable.test(text),
    "can't hold control or direction characters",
  )
  .transform(text => text.trim())
  .refine(text => [...text].length <= 200, 'must have at most 200 characters')
  .transform(text => text || null)
  .nullish();

/** A token that was handed out once; anything else is simply not one of ours. */
export const token = z
  .string()
  .meta({ examples: ['i-kpOUzHkw2oI54PkbFGBjel1lr5sTQflHwYhkYOJUY'] })
  .min(1, 'is required')
  .max(4096, 'is too long for a token');
