import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { type LimitItem, parseLimitExpression } from '../limit-expression.ts';
import { Secret } from '../secret.ts';

/** Control characters would end up in headers, subjects and logs. */
const hasControl = /\p{Cc}/u;

/** One line of text. */
export const line = () =>
  z
    .string('must be a text')
    .min(1, "can't be empty")
    .refine(text => !hasControl.test(text), "can't hold control characters");

export const flag = (byDefault: boolean) => z.boolean('must be true or false').default(byDefault);

/** A whole number of seconds, at least one. */
export const duration = (seconds: number) => whole(1).default(seconds);

export const whole = (min: number, max = 2 ** 31) =>
  z.int('must be a whole number').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);

/** A text that no log and no error message shows. */
export function secret(schema: z.ZodString = z.string('must be a text').min(1, "can't be empty")) {
  return schema.transform(text => new Secret(text)).meta({ secret: true });
}

/** A list whose items come from the environment as JSON or separated by commas. */
export function list<T extends z.ZodType<string>>(item: T) {
  return z.array(item, 'must be a list').default([]);
}

/** Limits of one route: `10/minute;100/hour`; empty means none. */
export const limit = () =>
  z
    .string('must be a text')
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
    .string('must be a text')
    .regex(
      /^(\/[A-Za-z0-9._~-]+)+$/,
      'must be a path such as /api/auth: it begins with a slash and does not end with one',
    )
    .refine(path => !path.split('/').some(part => part === '.' || part === '..'), "can't hold . or ..")
    .default(byDefault);

/** A table or collection. */
export const storageName = (byDefault: string) =>
  z
    .string('must be a text')
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
      'must be letters, digits and underscores, at most 63, and not begin with a digit',
    )
    .default(byDefault);

const parsed = (text: string) => (URL.canParse(text) ? new URL(text) : null);
const isHttp = (url: URL | null) => url?.protocol === 'https:' || url?.protocol === 'http:';
export const isLoopbackHost = (host: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** Scheme, host and port, and nothing after them but a slash, which is dropped. */
export const origin = () =>
  z
    .string('must be a text')
    .refine(text => {
      const url = parsed(text);
      return isHttp(url) && url?.href === `${url?.origin}/` && !text.includes('@');
    }, 'must be an origin such as https://example.org, without a path')
    .transform(text => new URL(text).origin);

/** An absolute address of a page. */
export const pageUrl = () =>
  z.string('must be a text').refine(text => isHttp(parsed(text)), 'must be an absolute http or https URL');

/** Where a page loads something of the host's from: its own site, or elsewhere. */
export const assetUrl = () =>
  line().refine(
    text => /^\/(?![/\\])/.test(text) || isHttp(parsed(text)),
    'must be a path such as /brand/logo.svg, or an http or https URL',
  );

/** An OpenID Connect issuer (OpenID Connect Discovery 1.0 §2): https, and http on this machine alone. */
export const issuer = () =>
  z.string('must be a text').refine(text => {
    const url = parsed(text);
    return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  }, 'must be an https URL; http is for loopback only');

export const emailAddress = () =>
  z
    .string('must be a text')
    .regex(/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$/, 'must be an email address');

/** An address, or a range in CIDR notation. */
export const addressRange = () =>
  z.string('must be a text').refine(text => {
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
