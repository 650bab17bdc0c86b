/** Returns bytes as text for addresses (RFC 4648 §5, without padding). @param {Uint8Array} bytes */
export const toBase64url = bytes =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/**
 * Returns one text of a token's payload, which anybody can read and which nothing decides by; null where it has none.
 * @param {string} token
 * @param {string} name
 * @returns {string | null}
 */
export function textInToken(token, name) {
  const [, payload = ''] = token.split('.');
  try {
    const { [name]: text } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof text === 'string' ? text : null;
  } catch {
    // The service says what is wrong with it.
    return null;
  }
}
