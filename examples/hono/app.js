import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';

/** Returns the application around an instance of Gatehouse, which a test makes itself. */
export function createApp(gatehouse) {
  const app = new Hono();

  // A person without a session signs in first, and comes back; a program gets 401.
  const signedIn = async (c, next) => {
    const { auth, response } = await gatehouse.protect(c.req.raw, { browser: true });
    if (response) return response;
    c.set('auth', auth);
    await next();
  };

  app.get('/orders', signedIn, c =>
    c.json({ customer: c.get('auth').user.id, orders: [{ id: 1, item: 'Lantern' }] }),
  );
  app.all('*', c => gatehouse.fetch(c.req.raw, { ip: getConnInfo(c).remote.address }));
  return app;
}
