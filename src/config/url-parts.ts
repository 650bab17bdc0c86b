import { nearest } from '../nearest.ts';
import { isLoopbackHost } from './loopback.ts';
import type { NamedFile } from './tls-files.ts';

/** The address of a server. A host that begins with a slash is a Unix socket, or the folder of one. */
export interface Address {
  host: string;
  port: number;
}

/** The parts of a URL that may name several hosts, which the URL standard does not support; nothing is decoded yet. */
export interface UrlParts {
  user: string | undefined;
  password: string | undefined;
  hosts: string;
  path: string;
  query: string;
}

/**
 * Splits what follows the scheme and its colon. @throws {Error} that quotes nothing, because any part may hold a password
 */
export function splitUrl(rest: string): UrlParts | null {
  const found = /^\/\/(?:([^/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(#.*)?$/.exec(rest);
  if (!found) return null;
  const [, userinfo, hosts = '', path = '', query = '', fragment] = found;
  if (fragment !== undefined) throw new Error('must write # as %23: it ends a URL');
  const colon = userinfo?.indexOf(':') ?? -1;
  return {
    user: colon === -1 ? userinfo : userinfo?.slice(0, colon),
    password: colon === -1 ? undefined : userinfo?.slice(colon + 1),
    hosts,
    path,
    query,
  };
}

/** @throws {Error} when a percent sign does not begin an escape */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('must write a percent sign as %25: it begins an escape');
  }
}

/** Returns an address such as `a:5432`, `[::1]` or `%2Frun%2Fpostgresql`, or null if the text is not one. */
export function parseAddress(text: string, defaultPort: number): Address | null {
  const [, inBrackets, plain = '', port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const host = decoded(inBrackets ?? plain);
  const number = port === undefined ? defaultPort : Number(port);
  const isHost = host.startsWith('/') || /^[^\s/\\?#@[\]<>]+$/.test(host);
  return isHost && number >= 1 && number <= 65_535 ? { host, port: number } : null;
}

/** Returns whether a connection to this host stays on this machine: loopback, or a Unix socket. */
export const isLocal = (host: string): boolean => host.startsWith('/') || isLoopbackHost(host);

/** Returns an address for display. */
export const shownAddress = ({ host, port }: Address): string => {
  if (host.startsWith('/')) return host;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
};

/** The parameters that a query may hold. */
export interface KnownParameters {
  names: readonly string[];
  /** The remedy for a parameter that is not supported, as the end of a sentence. */
  hints?: Readonly<Record<string, string>>;
  /** Parameters that may be given several times. */
  lists?: readonly string[];
  /** Whether names are compared without regard to case. */
  ignoresCase?: boolean;
}

/**
 * Returns the parameters of a query by their known names, decoded.
 * @throws {Error} that names a parameter that is unknown or given twice, and quotes no value
 */
export function parseParameters(query: string, known: KnownParameters): Map<string, string[]> {
  // In a password, an unescaped question mark would make the rest of the password a query.
  if (query.includes('@')) throw new Error('must write ? as %3F in a password, and @ as %40 after the ?');
  const { names, hints = {}, lists = [], ignoresCase = false } = known;
  const key = (name: string) => (ignoresCase ? name.toLowerCase() : name);
  const canonical = new Map(names.map(name => [key(name), name]));
  const found = new Map<string, string[]>();
  for (const pair of query.split('&').filter(Boolean)) {
    const [, given = '', value] = /^([\w.-]+)=(.*)$/s.exec(pair) ?? [];
    if (value === undefined) throw new Error('must write its parameters as name=value, joined with &');
    const name = canonical.get(key(given));
    if (name === undefined) throw new Error(unknownParameter(given, names, hints));
    const before = found.get(name);
    if (before && !lists.includes(name)) throw new Error(`has the parameter ${name} twice`);
    found.set(name, [...(before ?? []), decoded(value)]);
  }
  return found;
}

function unknownParameter(
  name: string,
  names: readonly string[],
  hints: Readonly<Record<string, string>>,
): string {
  const hint = hints[name];
  if (hint !== undefined) return `has the parameter ${name}, which is not supported: ${hint}`;
  const meant = nearest(name, names);
  const advice =
    meant === undefined ? 'docs/configuration.md lists those that are' : `did you mean ${meant}?`;
  return `has the parameter ${name}, which is not known: ${advice}`;
}

/** Returns one of these words, or undefined if the parameter is absent. @throws {Error} that names the parameter */
export function oneOf<Word extends string>(
  parameters: Map<string, string[]>,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = parameters.get(name)?.[0];
  if (value === undefined) return undefined;
  const word = words.find(each => each === value);
  if (word === undefined)
    throw new Error(`has an invalid ${name}: it must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
  return word;
}

/** Returns one line of text that is not empty, or undefined if the parameter is absent. @throws {Error} that names it */
export function textOf(parameters: Map<string, string[]>, name: string): string | undefined {
  const value = parameters.get(name)?.[0];
  if (value !== undefined && (value === '' || /\p{Cc}/u.test(value)))
    throw new Error(`has an invalid ${name}: it must be one line of text, and not empty`);
  return value;
}

/** Returns a whole number of at least 1, or undefined if the parameter is absent. @throws {Error} that names it */
export function wholeOf(parameters: Map<string, string[]>, name: string): number | undefined {
  const value = parameters.get(name)?.[0];
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value))
    throw new Error(`has an invalid ${name}: it must be a whole number of at least 1`);
  return Number(value);
}

/** Returns the file that a parameter names, or undefined if it is absent. @throws {Error} that names the parameter */
export function fileOf(parameters: Map<string, string[]>, parameter: string): NamedFile | undefined {
  const path = textOf(parameters, parameter);
  return path === undefined ? undefined : { parameter, path };
}

/** Returns the user and the password of a URL, decoded. */
export const credentialsOf = ({ user, password }: UrlParts) => ({
  user: user ? decoded(user) : undefined,
  password: password ? decoded(password) : undefined,
});

/** The names of the parameters that name a certificate authority, a certificate and its key. */
type TlsParameters = Record<'ca' | 'cert' | 'key', string>;

/** Returns the files of TLS that the parameters name. @throws {Error} for a certificate without its key, or the reverse */
export function tlsFilesOf(parameters: Map<string, string[]>, names: TlsParameters) {
  const [ca, cert, key] = [names.ca, names.cert, names.key].map(name => fileOf(parameters, name));
  if (!cert !== !key) throw new Error(`must have ${names.cert} and ${names.key} together, or neither`);
  return { ca, cert, key };
}
