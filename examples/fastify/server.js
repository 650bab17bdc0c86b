import middie from '@fastify/middie';
import Fastify from 'fastify';
import { createGatehouse } from 'gatehouse-auth';

const port = Number(process.env.PORT || 8000);
const gatehouse = await createGatehouse({ baseUrl: `http://localhost:${port}`, enableUiRouter: true });
await gatehouse.installSchema();

const app = Fastify();
await app.register(middie);
app.use(gatehouse.handler);

/** Makes a guard the hook of a route. A request that it refuses never reaches the route. */
const hook = guard => (request, reply, done) => guard(request.raw, reply.raw, done);
const signedIn = hook(gatehouse.requireSession());

app.get('/orders', { onRequest: signedIn }, async request => ({
  customer: request.raw.auth.user.id,
  orders: [{ id: 1, item: 'Lantern' }],
}));

app.addHook('onClose', () => gatehouse.close());
await app.listen({ port });
console.log(`listening on ${gatehouse.config.baseUrl}`);
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => app.close());
