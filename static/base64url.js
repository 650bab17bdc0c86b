/** Returns bytes as text for addresses (RFC 4648 §5, without padding). @param {Uint8Array} bytes */
export const toBase64url = bytes =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
