/** How a connection to a server is protected. */
export interface Transport {
  /** Whether it stays on this machine. */
  isLocal: boolean;
  isEncrypted: boolean;
  /** The checks of the server's certificate: its issuer and its name. */
  verifies: { issuer: boolean; name: boolean };
}

const untrusted = new Set([
  ...[
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'CERT_UNTRUSTED',
  ],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_SIGNATURE_FAILURE'],
]);
const certificateFailures: Record<string, string> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/** Returns why TLS with a server failed, as the end of a sentence, or null if that was not the cause. */
export function tlsFailure(error: unknown): string | null {
  for (let e = error, depth = 0; e instanceof Error && depth < 8; e = e.cause, depth++) {
    const code = String((e as NodeJS.ErrnoException).code);
    if (untrusted.has(code)) return `its certificate is not signed by a trusted authority (${code})`;
    if (code in certificateFailures) return `${certificateFailures[code]} (${code})`;
    if (/ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA)/.test(code))
      return `it rejected the handshake, probably because it requires a client certificate (${code})`;
    if (/^ERR_(SSL|TLS|OSSL)_|^EPROTO$/.test(code)) return `the handshake failed (${code})`;
  }
  return null;
}
