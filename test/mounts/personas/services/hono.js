import { serve } from '@hono/node-server';
import { createGatehouse } from 'gatehouse-auth';
import { Hono } from 'hono';

const gatehouse = await createGatehouse({
  configFile: '../shop/svc.toml',
  secretsFile: '../shop/svc.secrets.env',
});
const app = new Hono();
app.get('/stock', async c => {
  const { auth, response } = await gatehouse.protect(c.req.raw);
  return response ?? c.json({ for: auth.user.email });
});
const server = serve({ fetch: app.fetch, port: Number(process.env.PORT) }, () =>
  console.log('listening on it'),
);
process.once('SIGTERM', () => server.close(() => gatehouse.close()));
