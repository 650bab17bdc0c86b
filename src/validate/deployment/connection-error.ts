const untrusted =
  'its certificate is not signed by an authority that this machine trusts (--insecure accepts it)';

const words: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'there is no route to that address',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name cannot be resolved at the moment',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  EPROTO: 'it does not speak TLS there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP there',
};

/** Returns why a request got no response, for people. */
export function inWords(error: unknown, timeoutMs: number): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ETIMEDOUT') {
    return `no response within ${timeoutMs / 1000} seconds`;
  }
  return words[code ?? ''] ?? message ?? String(error);
}
