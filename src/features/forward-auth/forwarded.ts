import type { IncomingHttpHeaders } from 'node:http';
import { GatehouseError } from '../../errors.ts';
import { say } from '../../words/said.ts';

/** The request that a browser sent to the proxy, as the proxy tells it. */
export interface Forwarded {
  /** Empty where the proxy does not say it, which counts as a method that changes something. */
  method: string;
  /** Of the site that was asked: `https://app.example`. */
  origin: string;
  /** With the port that is not the usual one, in lower case. */
  host: string;
  /** Path and query as they were sent. */
  uri: string;
  /** The headers of the browser; the proxy passes them on. */
  headers: IncomingHttpHeaders;
}

/** A proxy that does not say what is needed; the log names the headers. */
export class Lacking extends GatehouseError {
  readonly lacks: readonly string[];

  constructor(lacks: readonly string[]) {
    super('invalid_input', { detail: say('error_forwarded', { headers: lacks.join(', ') }) });
    this.lacks = lacks;
  }
}

interface Told {
  method: string | undefined;
  proto: string | undefined;
  host: string | undefined;
  uri: string | undefined;
}

interface Options {
  isNginx: boolean;
  /** The scheme of `base_url`, which is http on loopback alone. */
  scheme: string;
}

/**
 * Reads what a proxy tells of a request. All of it comes from the headers of one kind of proxy, because a client may have sent
 * those of another.
 * @throws {Lacking} where scheme, host or URI is missing
 * @throws {GatehouseError} forbidden, where host or URI can be none
 */
export function readForwarded(headers: IncomingHttpHeaders, { isNginx, scheme }: Options): Forwarded {
  const header = (name: string) => headers[name] as string | undefined;
  const url = header('x-original-url');
  const usual = ['method', 'host', 'uri'].some(name => header(`x-forwarded-${name}`) !== undefined);
  const isOriginal = isNginx || (url !== undefined && !usual);
  const told: Told = isOriginal
    ? { ...partsOf(url ?? ''), method: header('x-original-method') }
    : {
        method: header('x-forwarded-method'),
        proto: header('x-forwarded-proto'),
        host: header('x-forwarded-host'),
        uri: header('x-forwarded-uri'),
      };
  const lacks = lackingIn(told, scheme);
  if (lacks.length > 0)
    throw new Lacking(isOriginal ? ['X-Original-URL'] : lacks.map(part => `X-Forwarded-${part}`));
  const { proto, host, uri, method = '' } = told as Told & Record<'proto' | 'host' | 'uri', string>;
  if (!isHost(host) || !/^\/[\x21-\x7e]*$/.test(uri)) throw new GatehouseError('forbidden');
  return { method, origin: `${proto}://${host.toLowerCase()}`, host: host.toLowerCase(), uri, headers };
}

/** Returns the parts of an absolute URL as they were written. */
function partsOf(url: string): Omit<Told, 'method'> {
  const [, proto, host, uri] = /^([a-z]+):\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  return { proto, host, uri };
}

function lackingIn({ proto, host, uri }: Told, scheme: string): string[] {
  return [
    ...(proto === 'https' || proto === scheme ? [] : ['Proto']),
    ...(host === undefined ? ['Host'] : []),
    ...(uri === undefined ? ['Uri'] : []),
  ];
}

/** Returns whether a text is one host, with a port or without. */
export const isHost = (text: string): boolean =>
  /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text);
