import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { canonicalTag } from '../../words/tags.ts';
import { type LimitItem, parseLimitExpression } from '../limit-expression.ts';
import { isLoopbackHost } from '../loopback.ts';
import { ParsedSecret, Secret } from '../secret.ts';

/** Control characters could enter headers, subjects and logs. */
const hasControl = /\p{Cc}/u;

/** One line of text. */
export const line = () =>
  z
    .string('must be a string')
    .min(1, "can't be empty")
    .refine(text => !hasControl.test(text), "can't contain control characters");

export const flag = (byDefault: boolean) => z.boolean('must be true or false').default(byDefault);

/** A whole number of seconds, at least one. */
export const duration = (seconds: number) => whole(1).default(seconds);

export const whole = (min: number, max = 2 ** 31) =>
  z.int('must be a whole number').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);

/** A text that no log and no error message shows. */
export function secret(schema: z.ZodString = z.string('must be a string').min(1, "can't be empty")) {
  return schema.transform(text => new Secret(text)).meta({ secret: true });
}

/** A secret text with the value that it is parsed into, once; `parse` throws errors that quote no secret. */
export const parsedSecret = <T>(parse: (text: string) => T) =>
  z
    .string('must be a string')
    .min(1, "can't be empty")
    .transform((text, context) => {
      try {
        return new ParsedSecret(text, parse(text));
      } catch (error) {
        context.addIssue((error as Error).message);
        return z.NEVER;
      }
    })
    .meta({ secret: true });

/**
 * Marks settings that reach the world or limit people: the tests of a host do not take them from its configuration file
 * (CONTRACT §14). Secrets need no mark.
 */
export const outsideOfTests = <S extends Record<string, z.ZodType>>(shape: S): S =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, schema.meta({ isOutsideOfTests: true })]),
  ) as S;

/** A key of 32 bytes, as `svc init` writes it. */
export const dataKey = () =>
  secret(
    z
      .string('must be a string')
      .regex(
        /^[A-Za-z0-9_-]{43}=?$/,
        'must be 32 bytes in base64url (43 characters): `svc init` generates one',
      ),
  );

/** A list; in the environment its items are JSON or separated by commas. */
export function list<T extends z.ZodType<string>>(item: T) {
  return z.array(item, 'must be a list').default([]);
}

/** The tag of a language (BCP 47), as it is written: `pt-BR`. */
export const languageTag = () =>
  z.string('must be a string').check(({ value, issues }) => {
    const canonical = canonicalTag(value);
    if (canonical === value) return;
    const message =
      canonical === null ? 'must be the tag of a language such as pt-BR' : `must be written ${canonical}`;
    issues.push({ code: 'custom', message, input: value });
  });

/** One line of text, or a table of it by language: `{ en = "Company", de = "Firma" }`. */
export const lineByLanguage = () =>
  z
    .union([line(), z.record(languageTag(), line()).refine(table => Object.keys(table).length > 0)], {
      error: 'must be one line of text, or a table of it by language such as { en = "Help", de = "Hilfe" }',
    })
    .meta({ isValue: true });

/** The rate limits of one route: `10/minute;100/hour`; empty means none. */
export const limit = () =>
  z
    .string('must be a string')
    .default('')
    .transform((text, context): LimitItem[] => {
      try {
        return parseLimitExpression(text);
      } catch (error) {
        context.addIssue((error as Error).message);
        return z.NEVER;
      }
    });

/** A path that other paths are appended to: `/api/auth`. */
export const prefix = (byDefault: string) =>
  z
    .string('must be a string')
    .regex(
      /^(\/[A-Za-z0-9._~-]+)+$/,
      'must be a path such as /api/auth: it begins with a slash and does not end with one',
    )
    .refine(path => !path.split('/').some(part => part === '.' || part === '..'), "can't contain . or ..")
    .default(byDefault);

/** The name of a table, a collection or a schema. */
export const identifier = () =>
  z
    .string('must be a string')
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
      'must be letters, digits and underscores, at most 63, and not begin with a digit',
    );

/** The name of a table or collection. */
export const storageName = (byDefault: string) => identifier().default(byDefault);

/** The beginning of default table names; the longest of them must stay within 63 characters. */
export const tablePrefix = () =>
  z
    .string('must be a string')
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]{0,41}$/,
      'must be letters, digits and underscores, at most 42, and not begin with a digit',
    );

/** The name of a PostgreSQL schema; PostgreSQL reserves some names. */
export const schemaName = () =>
  identifier().refine(
    name => !/^pg_/i.test(name) && name.toLowerCase() !== 'information_schema',
    'must not begin with pg_ or be information_schema, which belong to PostgreSQL',
  );

/** The beginning of keys in a shared store. */
export const keyPrefix = () =>
  z
    .string('must be a string')
    .regex(
      /^[A-Za-z0-9._:-]{1,64}$/,
      'must be 1 to 64 letters, digits, dots, colons, hyphens and underscores',
    );

const parsed = (text: string) => (URL.canParse(text) ? new URL(text) : null);
const isHttp = (url: URL | null) => url?.protocol === 'https:' || url?.protocol === 'http:';

/** Returns whether browsers treat a site as secure (W3C Secure Contexts §3.1): https, or http on loopback. */
export function isSecureSite(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopbackHost(hostname);
}

/** The `base_url` of a configuration that has none; checks of values that were not parsed need it, too. */
export const defaultBaseUrl = 'http://localhost:8000';

/** Scheme, host and port, and nothing after them but a slash, which is removed. */
export const origin = () =>
  z
    .string('must be a string')
    .refine(text => {
      const url = parsed(text);
      return isHttp(url) && url?.href === `${url?.origin}/` && !text.includes('@');
    }, 'must be an origin such as https://example.org, without a path')
    .transform(text => new URL(text).origin);

/** The absolute URL of a page. */
export const pageUrl = () =>
  z.string('must be a string').refine(text => isHttp(parsed(text)), 'must be an absolute http or https URL');

/** The URL of a resource of the host application that a page loads or links to: on the same site, or elsewhere. */
export const assetUrl = (example = '/brand/logo.svg') =>
  line().refine(
    text => /^\/(?![/\\])/.test(text) || isHttp(parsed(text)),
    `must be a path such as ${example}, or an http or https URL`,
  );

/** The URL of a service that the network in between must not read or change: https, or http on this machine only. */
export const secureUrl = () =>
  z.string('must be a string').refine(text => {
    const url = parsed(text);
    return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  }, 'must be an https URL; http is for loopback only');

/** Returns an issuer in the one spelling of those that the URL standard treats as equal. */
function normalisedIssuer(text: string): string {
  const { origin, pathname, href } = new URL(text);
  return pathname === '/' && href === `${origin}/` ? origin : href;
}

/**
 * An OpenID Connect issuer (OpenID Connect Discovery 1.0 §2): https, or http on this machine only. Spellings that the URL
 * standard treats as equal are normalised, because identities are stored under the issuer.
 */
export const issuer = () => secureUrl().transform(normalisedIssuer);

/** The placeholder of the tenant in the issuer of Microsoft. */
export const tenantPlaceholder = '{tenant}';

/** As `issuer`; it may contain `{tenant}`, whose brackets no URL contains. */
export const issuerTemplate = () =>
  secureUrl().transform(text =>
    normalisedIssuer(text).replace(encodeURI(tenantPlaceholder), tenantPlaceholder),
  );

export const emailAddress = () =>
  z
    .string('must be a string')
    .regex(/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$/, 'must be an email address');

/** A contact for help: an email address, or a page. */
export const contact = () =>
  line().refine(
    text => emailAddress().safeParse(text).success || isHttp(parsed(text)),
    'must be an email address, or an http or https URL',
  );

/** An IP address, or a range in CIDR notation. */
export const addressRange = () =>
  z.string('must be a string').refine(text => {
    const [address = '', bits, ...rest] = text.split('/');
    const family = isIP(address);
    if (family === 0 || rest.length > 0) return false;
    if (bits === undefined) return true;
    try {
      new BlockList().addSubnet(
        address,
        /^\d+$/.test(bits) ? Number(bits) : -1,
        family === 6 ? 'ipv6' : 'ipv4',
      );
      return true;
    } catch {
      return false;
    }
  }, 'must be an address or a range such as 10.0.0.0/8');
