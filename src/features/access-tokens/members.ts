import type { ResourceServer } from '../../http/resource-server.ts';

/** What access tokens add to the server API. */
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
}
