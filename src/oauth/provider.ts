import type { ProviderKind } from '../config/schema/providers.ts';

/** The values of an authorisation request. */
export interface AuthorizationRequest {
  state: string;
  nonce: string;
  /** Kept on the server; only its S256 challenge passes through the browser (RFC 7636). */
  codeVerifier: string;
  /** Makes the person choose an account, so that an open session at the provider is not used without asking. */
  selectAccount: boolean;
  /** How long ago the person may have signed in at the provider, in seconds; null where it does not matter. */
  maxAge: number | null;
}

/** The parameters of the redirect URI, with the stored values of the flow. */
export interface AuthorizationResponse {
  code: string;
  state: string;
  /** The issuer as the response names it (RFC 9207). */
  iss: string | undefined;
  /** The statement of Apple about the person at the first sign-in, as JSON: not signed, so nothing that matters is taken from it. */
  user: string | undefined;
  nonce: string;
  codeVerifier: string;
  maxAge: number | null;
}

/** The person who signed in, from a fully verified ID token or from the provider's API. */
export interface ExternalIdentity {
  /** Who vouches for the subject: identities are stored under both. */
  issuer: string;
  subject: string;
  /** As the provider returned it; not yet validated. */
  email: unknown;
  /** Whether the provider has verified the address, by what the provider says or `trust_email`. */
  emailVerified: boolean;
  /** As the provider returned it; not yet validated. Undefined where no name was asked for. */
  fullName: unknown;
  /** How long ago the person signed in at the provider, in seconds; null where the provider does not say. */
  signedInSecondsAgo: number | null;
  /** How the person signed in at the provider (OpenID Connect Core §2); null where the provider does not say. */
  acr: string | null;
  amr: string[] | null;
}

/** Why the provider's response could not be used: an error code for the redirect, and a cause for the log. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: 'token_exchange_failed' | 'id_token_failed' | 'issuer_mismatch' | 'unavailable';

  constructor(code: ProviderError['code'], cause: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Returns an error that names the failed check, for the log. */
export const failedCheck = (check: string) =>
  Object.assign(new Error(`The check of ${check} failed.`), { code: check });

/** Returns the lesser of two maxima; null is none. */
export const leastOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** An identity provider. A further kind is another implementation of this interface, listed in `open.ts`. */
export interface Provider {
  readonly name: string;
  /** The name that people read. */
  readonly label: string;
  readonly kind: ProviderKind;
  /** How long ago people may have signed in there, in seconds; null means any time. */
  readonly mostAge: number | null;
  /** Whether it sends the browser back with a form, which is a POST of another site (OAuth 2.0 Form Post Response Mode). */
  readonly postsForm: boolean;
  /** Returns whether identities of this issuer sign in with this provider. */
  hasIssuer(issuer: string): boolean;
  /** Returns where to send the browser. @throws {ProviderError} unavailable */
  authorizationUrl(request: AuthorizationRequest): Promise<URL>;
  /**
   * Rejects a response that names another issuer, or none although the provider announces it (mix-up attack,
   * RFC 9207 §2.4).
   * @throws {ProviderError} issuer_mismatch, unavailable
   */
  checkIssuer(iss: string | undefined): Promise<void>;
  /** Exchanges the code and verifies the ID token. Returns the person who signed in. @throws {ProviderError} */
  identify(response: AuthorizationResponse): Promise<ExternalIdentity>;
}
