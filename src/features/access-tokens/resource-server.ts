import type { NodeUser } from '../../contract/views/account.ts';
import type { AccessClaims } from '../../crypto/claims.ts';
import type { Acr } from '../../domain/resources.ts';
import type { Guard } from '../../http/guard.ts';

/** The metadata of an API that takes access tokens (RFC 9728 §2). */
export interface ResourceMetadata {
  resource: string;
  authorization_servers: string[];
  scopes_supported: string[];
  bearer_methods_supported: string[];
  resource_name: string;
}

/** What a route of an API asks of a token. */
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

/** Who sent a token, and what it says. */
export interface TokenAuth {
  user: NodeUser;
  userId: string;
  /** The claims of the token, by their names in it. */
  claims: AccessClaims;
  token: string;
  /** `session`, `api_key` or `host`: where the token comes from. */
  clientId: string;
  scopes: string[];
  expiresAt: Date;
  /** The name of the resource in the configuration. */
  resource: string;
}

/** Who sent a request of the Fetch standard, or the response that refuses it. */
export type TokenProtected =
  | { auth: TokenAuth; response: null; headers: Record<string, string> }
  | { auth: null; response: Response; headers: Record<string, string> };

/** An API of the configuration, in the process of Gatehouse. */
export interface ResourceServer {
  /** What RFC 9728 publishes of it. */
  readonly metadata: ResourceMetadata;
  /**
   * Returns middleware that rejects requests without a valid token and puts the token into `req.auth`.
   * @throws {TypeError} for an unknown requirement or scope
   * @example app.get('/orders', orders.requireToken({ scopes: ['orders:read'] }), (req, res) => res.json(req.auth.userId));
   */
  requireToken(requirements?: TokenRequirements): Guard<TokenAuth>;
  /**
   * As `requireToken`, for a request of the Fetch standard. `headers` belong to the response of the host.
   * @throws {TypeError} for an unknown requirement or scope
   */
  protect(request: Request, requirements?: TokenRequirements): Promise<TokenProtected>;
  /** Returns what a token says. @throws {GatehouseError} unauthenticated, mfa_enrolment_required, unavailable */
  verify(token: string): Promise<TokenAuth>;
}
