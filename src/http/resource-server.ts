import type { NodeUser } from '../contract/views/account.ts';
import type { AccessClaims } from '../crypto/claims.ts';
import type { Acr } from '../domain/acr.ts';
import type { AuthOrResponse, Guard } from './guard.ts';

/** The metadata of an API that takes access tokens (RFC 9728 §2). */
export interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
  scopes_supported: string[];
  bearer_methods_supported: string[];
  resource_name?: string;
}

/** The demands of a route on a token. */
export interface TokenRequirements {
  /** Scopes of the resource, all of which the token must have; 403 `insufficient_scope`. */
  scopes?: readonly string[];
  /** The least strength of the sign-in: `aal1`, `aal2` or `phr`; 401 `recent_sign_in_required`. */
  acr?: Acr;
  /** The greatest age of the sign-in, in seconds; 401 `recent_sign_in_required`. */
  maxAge?: number;
  /** Whether pages of every origin may call the route (CORS), without credentials. */
  cors?: boolean;
}

/** The claims of a token that count. */
export interface VerifiedToken {
  /** The id of the person. */
  userId: string;
  /** The claims of the token, by their names in it. */
  claims: AccessClaims;
  /** The token itself, as it was sent. */
  token: string;
  /** `session`, `api_key` or `host`: where the token comes from. */
  clientId: string;
  scopes: string[];
  expiresAt: Date;
  /** In Gatehouse the name of the resource in the configuration; in `gatehouse-auth/verify` its identifier. */
  resource: string;
}

/** Who sent a token, and what it says. */
export interface TokenAuth extends VerifiedToken {
  user: NodeUser;
}

/** Who sent a request of the Fetch standard, or the response that refuses it. */
export type TokenProtected<A extends VerifiedToken = TokenAuth> = AuthOrResponse<A>;

/** The guards of an API. */
export interface ResourceServer<A extends VerifiedToken = TokenAuth> {
  /** The metadata that RFC 9728 has an API publish; null where its identifier is no http or https URL. */
  readonly metadata: ResourceMetadata | null;
  /**
   * Returns middleware that rejects requests without a valid token and puts the token into `req.auth`.
   * @throws {TypeError} for an unknown requirement or scope
   * @example app.get('/orders', orders.requireToken({ scopes: ['orders:read'] }), (req, res) => res.json(req.auth.userId));
   */
  requireToken(requirements?: TokenRequirements): Guard<A>;
  /**
   * As `requireToken`, for a request of the Fetch standard. `response` refuses the request or answers a preflight; `headers`
   * belong to the response of the host.
   * @throws {TypeError} for an unknown requirement or scope
   * @example
   * const { auth, response, headers } = await orders.protect(request, { scopes: ['orders:read'] });
   * if (response) return response;
   * return Response.json({ of: auth.userId }, { headers });
   */
  protect(request: Request, requirements?: TokenRequirements): Promise<TokenProtected<A>>;
  /**
   * Returns the content of a token that counts.
   * @throws {Error} with a `code`: unauthenticated, mfa_enrolment_required, unavailable
   * @example const { userId, scopes } = await orders.verify(token);
   */
  verify(token: string): Promise<A>;
}
