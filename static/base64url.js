// Bytes as text, for addresses and JSON (RFC 4648 §5, without padding).

/** @param {Uint8Array} bytes */
export const toBase64url = bytes =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** @param {string} text */
export const fromBase64url = text =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));
