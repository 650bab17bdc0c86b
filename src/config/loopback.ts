/** Returns whether a host name or address is that of this machine. An IPv6 address may be in brackets, as `URL` writes it. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
