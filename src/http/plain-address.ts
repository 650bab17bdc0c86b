/**
 * Returns an address in its shorter form: a socket that also listens on IPv6 reports an IPv4 client as an IPv4-mapped
 * address (RFC 4291 §2.5.5.2).
 */
export const plainAddress = (ip: string | undefined): string | null =>
  ip?.replace(/^::ffff:(?=[\d.]+$)/i, '') ?? null;
