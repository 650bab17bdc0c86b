import middie from '@fastify/middie';
import Fastify from 'fastify';

/** Returns the application around an instance of Gatehouse, which a test makes itself. */
export async function createApp(gatehouse) {
  const app = Fastify();
  await app.register(middie);
  app.use(gatehouse.handler);

  /** Makes a guard the hook of a route. A request that it refuses never reaches the route. */
  const hook = guard => (request, reply, done) => {
    // Fastify would also go on with a promise that a hook returns.
    guard(request.raw, reply.raw, done);
  };
  const signedIn = hook(gatehouse.requireSession({ browser: true }));

  app.get('/orders', { onRequest: signedIn }, async request => ({
    customer: request.raw.auth.user.id,
    orders: [{ id: 1, item: 'Lantern' }],
  }));

  app.addHook('onClose', () => gatehouse.close());
  return app;
}
