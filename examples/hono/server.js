import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { createGatehouse } from 'gatehouse-auth';
import { Hono } from 'hono';

const port = Number(process.env.PORT || 8000);
const gatehouse = await createGatehouse({ baseUrl: `http://localhost:${port}`, enableUiRouter: true });
await gatehouse.installSchema();

const app = new Hono();

const signedIn = async (c, next) => {
  const { auth, response } = await gatehouse.protect(c.req.raw);
  if (response) return response;
  c.set('auth', auth);
  await next();
};

app.get('/orders', signedIn, c =>
  c.json({ customer: c.get('auth').user.id, orders: [{ id: 1, item: 'Lantern' }] }),
);
app.all('*', c => gatehouse.fetch(c.req.raw, { ip: getConnInfo(c).remote.address }));

const server = serve({ fetch: app.fetch, port }, () => console.log(`listening on http://localhost:${port}`));
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => server.close(() => gatehouse.close()));
}
