/** The JWS compact form: three parts of base64url without padding (RFC 7515 §7.1), so a token has only ASCII letters. */
const compactForm = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** Several texts decode to the same bytes; only the text that encoding these bytes gives is accepted (RFC 4648 §3.5). */
const isCanonical = (part: string) => Buffer.from(part, 'base64url').toString('base64url') === part;

/** Returns the encoded header, payload and signature of a token, or null for a text of another form. */
export function partsOf(token: string): [header: string, payload: string, signature: string] | null {
  const [, header = '', payload = '', signature = ''] = compactForm.exec(token) ?? [];
  const parts: [string, string, string] = [header, payload, signature];
  return header !== '' && parts.every(isCanonical) ? parts : null;
}

/** Returns a header or payload as a part of a token. */
export const encodePart = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Returns the object in a part of a token, or null where there is none. */
export function decodePart(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Returns whether the value of a claim is a text that says something, and that every database can look for. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0');
