import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';
import type { ClientAddress } from './node.ts';
import { plainAddress } from './plain-address.ts';

/** Returns whether an address is that of a proxy that the configuration trusts. */
export type IsTrusted = (address: string) => boolean;

/** Returns the check of `trusted_proxies`, or null while it names none. An address may have a port. */
export function trustOf(trustedProxies: readonly string[]): IsTrusted | null {
  if (trustedProxies.length === 0) return null;
  const trust = proxyAddr.compile([...trustedProxies]);
  return address => trust(plainAddress(address) ?? '', 0);
}

/**
 * Returns a function that determines the client's address of a request: what a framework has determined, unless that is a
 * proxy that the configuration trusts; then `X-Forwarded-For`, as far as the senders are trusted.
 */
export function clientAddress(isTrusted: IsTrusted | null): ClientAddress {
  if (!isTrusted) return ({ ip, socket }) => ip ?? socket?.remoteAddress;
  return req =>
    req.ip !== undefined && !isTrusted(req.ip) ? req.ip : proxyAddr(req as IncomingMessage, isTrusted);
}
