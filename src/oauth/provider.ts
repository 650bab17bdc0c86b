/** What a flow needs at the provider and back. */
export interface AuthorizationRequest {
  state: string;
  nonce: string;
  /** Stays with the service; its S256 challenge alone passes through the browser (RFC 7636). */
  codeVerifier: string;
  /** Makes the person choose an account, so that nobody's present session at the provider is taken unasked. */
  selectAccount: boolean;
}

/** What comes back to the redirect URI. */
export interface AuthorizationResponse {
  code: string;
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Who signed in, from an ID token that was verified in full. */
export interface ExternalIdentity {
  subject: string;
  /** As the provider says it; not yet checked. */
  email: unknown;
  /** True only where the provider said the boolean `true`. */
  emailVerified: boolean;
}

/** Why the provider's answer could not be used: a word for the redirect, and what the log may hold. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: 'token_exchange_failed' | 'id_token_failed' | 'unavailable';

  constructor(code: ProviderError['code'], cause: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** An identity provider. A second one is another implementation of this, named in `services/oauth.ts`. */
export interface Provider {
  readonly name: string;
  /** Where to send the browser. @throws {ProviderError} unavailable */
  authorizationUrl(request: AuthorizationRequest): Promise<URL>;
  /** Exchanges the code and verifies the ID token. @throws {ProviderError} */
  identify(response: AuthorizationResponse): Promise<ExternalIdentity>;
}
