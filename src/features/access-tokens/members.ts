import type { ResourceServer, TokenAuth } from '../../http/resource-server.ts';

/** An access token of the host. */
export interface IssuedToken {
  accessToken: string;
  expiresAt: Date;
  scopes: string[];
}

/** Access tokens of a program of the host, by the names of resources in the configuration. */
export interface HostTokens {
  /**
   * Returns a token for an API, of a person who has not signed in: it tells of no sign-in, and ends with the next cutoff
   * of the account. By default it has every scope of the resource.
   * @throws {TypeError} with `enable_tokens` off, for an unknown resource, and for one with `acr` or `max_age_seconds`
   * @throws {GatehouseError} not_found, account_disabled, email_not_verified, unauthenticated (a report has closed
   * the account), invalid_input, invalid_scope, unavailable
   * @example const { accessToken } = await gatehouse.tokens.issue(ada.id, { resource: 'orders', scopes: ['orders:read'] });
   */
  issue(userId: string, request: { resource: string; scopes?: readonly string[] }): Promise<IssuedToken>;
  /**
   * Returns what a token says that counts now, or null.
   * @throws {TypeError} with `enable_tokens` off, and for an unknown resource
   * @throws {GatehouseError} unavailable
   * @example const auth = await gatehouse.tokens.verify(token, { resource: 'orders' });
   */
  verify(token: string, request: { resource: string }): Promise<TokenAuth | null>;
}

/** The members that access tokens add to the server API. */
export interface AccessTokenMembers {
  /**
   * Returns the guards of an API of `[resources]` that runs in this process: each token is checked by its signature and one
   * read, so that one that was ended is refused at once.
   * @throws {TypeError} with `enable_tokens` off, and for an unknown name
   * @example
   * const orders = gatehouse.resource('orders');
   * app.get('/orders', orders.requireToken({ scopes: ['orders:read'] }), (req, res) => res.json(req.auth.userId));
   */
  resource(name: string): ResourceServer;
  /** Access tokens for your own program (docs/tokens.md). */
  readonly tokens: HostTokens;
}
