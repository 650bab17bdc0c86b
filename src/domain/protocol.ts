import { type ErrorCode, GatehouseError } from '../errors.ts';

/** The words of RFC 6749 §5.2 and RFC 7009 §2.2.1 that the endpoints below `/oauth2` answer. */
export type ProtocolError = 'invalid_client' | 'invalid_request' | 'unsupported_token_type';

/** The error code of each, for metrics and the audit trail. */
const codes: Record<ProtocolError, ErrorCode> = {
  invalid_client: 'unauthenticated',
  invalid_request: 'invalid_input',
  unsupported_token_type: 'invalid_input',
};

/** A refusal in the form of OAuth 2, which its clients know, instead of a problem document. */
export class ProtocolRefusal extends GatehouseError {
  readonly error: ProtocolError;

  constructor(error: ProtocolError) {
    super(codes[error]);
    this.error = error;
  }
}

/** The fields of a form; one that occurs twice is a list. */
export type Form = Readonly<Record<string, unknown>>;

/**
 * Returns a parameter of a form, or null without it (RFC 6749 §3.2: an empty one is none).
 * @throws {ProtocolRefusal} invalid_request, when it occurs twice
 */
export function parameterOf(form: Form, name: string): string | null {
  const value = form[name];
  if (value === undefined || value === '') return null;
  if (typeof value !== 'string') throw new ProtocolRefusal('invalid_request');
  return value;
}

/** Rejects a form in which a parameter occurs twice (RFC 6749 §3.2). @throws {ProtocolRefusal} invalid_request */
export function assertOnce(form: Form): void {
  if (Object.values(form).some(value => typeof value !== 'string'))
    throw new ProtocolRefusal('invalid_request');
}

interface Credentials {
  name: string;
  secret: string;
}

/**
 * Returns the credentials of a client, by `client_secret_basic` or `client_secret_post` (RFC 6749 §2.3.1).
 * @throws {ProtocolRefusal} invalid_client (there are none), invalid_request (they are in both places)
 */
export function credentialsOf(authorization: string | undefined, form: Form): Credentials {
  const [name, secret] = [parameterOf(form, 'client_id'), parameterOf(form, 'client_secret')];
  if (authorization !== undefined && secret !== null) throw new ProtocolRefusal('invalid_request');
  if (authorization === undefined) {
    if (name === null || secret === null) throw new ProtocolRefusal('invalid_client');
    return { name, secret };
  }
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1];
  const [, user, word] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  if (user === undefined || word === undefined) throw new ProtocolRefusal('invalid_client');
  const credentials = { name: formDecoded(user), secret: formDecoded(word) };
  // Some clients name themselves in the form, too.
  if (name !== null && name !== credentials.name) throw new ProtocolRefusal('invalid_request');
  return credentials;
}

/** Names and secrets are form-encoded in front of base64. @throws {ProtocolRefusal} invalid_client */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ProtocolRefusal('invalid_client');
  }
}
