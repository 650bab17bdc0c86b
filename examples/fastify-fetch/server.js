import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { createGatehouse } from 'gatehouse-auth';

const port = Number(process.env.PORT || 8000);
const gatehouse = await createGatehouse({ baseUrl: `http://localhost:${port}`, enableUiRouter: true });
await gatehouse.installSchema();

const app = Fastify();
// Gatehouse reads bodies itself, within its own limits.
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', (_request, body, done) => done(null, body));

// Appended, not resolved: a path that begins with two slashes would name another host.
const toRequest = ({ raw, url, method, headers, body }) =>
  new Request(gatehouse.config.baseUrl + url, {
    ...{ method, headers: new Headers(Object.entries(headers)) },
    ...(body && { body: Readable.toWeb(raw), duplex: 'half' }),
  });

app.get('/orders', async request => {
  const { auth, response } = await gatehouse.protect(toRequest(request));
  return response ?? { customer: auth.user.id, orders: [{ id: 1, item: 'Lantern' }] };
});
app.all('/*', request => gatehouse.fetch(toRequest(request), { ip: request.ip }));

app.addHook('onClose', () => gatehouse.close());
await app.listen({ port });
console.log(`listening on ${gatehouse.config.baseUrl}`);
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => app.close());
