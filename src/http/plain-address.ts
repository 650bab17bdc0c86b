/** An address as some proxies write it into X-Forwarded-For: with the port, which differs for every connection. */
const withPort = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/;

/**
 * Returns an address as it is compared, counted and stored: without port and zone, and IPv4 in its shorter form, because a
 * socket that also listens on IPv6 reports an IPv4 client as an IPv4-mapped address (RFC 4291 §2.5.5.2).
 */
export function plainAddress(ip: string | undefined): string | null {
  if (ip === undefined) return null;
  const [, inBrackets, dotted] = withPort.exec(ip) ?? [];
  return (inBrackets ?? dotted ?? ip).replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
}
