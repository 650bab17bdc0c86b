import Fastify from 'fastify';
import { createGatehouse } from 'gatehouse-auth';

const gatehouse = await createGatehouse({
  configFile: '../shop/svc.toml',
  secretsFile: '../shop/svc.secrets.env',
});
const app = Fastify();
app.get('/stock', async ({ url, headers }) => {
  const { auth, response } = await gatehouse.protect(
    new Request(new URL(url, 'http://localhost'), { headers }),
  );
  return response ?? { for: auth.user.email };
});
app.addHook('onClose', () => gatehouse.close());
await app.listen({ port: Number(process.env.PORT) });
console.log('listening on it');
process.once('SIGTERM', () => app.close());
