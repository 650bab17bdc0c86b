import { createResourceServer } from 'gatehouse-auth/verify';

/** Returns an API that checks tokens, as a function of the Fetch standard. */
export function createApi({ ISSUER: issuer, RESOURCE: resource }) {
  const orders = createResourceServer({ issuer, resource, scopes: ['orders:read', 'orders:write'] });
  return async request => {
    const { auth, response } = await orders.protect(request, { scopes: ['orders:read'] });
    return response ?? Response.json({ of: auth.userId });
  };
}
