import { createServer } from 'node:http';
import { createGatehouse } from 'gatehouse';

const port = Number(process.env.PORT || 8000);
const gatehouse = await createGatehouse({
  appName: 'Lanterns',
  baseUrl: process.env.ORIGIN || `http://localhost:${port}`,
  // Without a framework there are no pages of one's own yet: the bundled ones will do.
  enableUiRouter: true,
});
await gatehouse.installSchema();
const { config } = gatehouse;

/** The routers, by the prefix that each is mounted at. */
const mounted = [
  [config.apiPrefix, gatehouse.router],
  [config.uiPrefix, gatehouse.uiRouter],
  [config.staticPrefix, gatehouse.staticFiles],
];

const server = createServer(async (req, res) => {
  const url = req.url ?? '/';
  const found = mounted.find(([prefix]) => url.startsWith(`${prefix}/`));
  if (found) {
    // A router sees what comes behind its prefix, and hands back what it does not know.
    const [prefix, router] = found;
    req.url = url.slice(prefix.length);
    return router(req, res, () => answer(res, 404, { error: 'not found' }));
  }
  if (url === '/orders') return orders(req, res);
  answer(res, 404, { error: 'not found' });
});

/** For people who are signed in. */
async function orders(req, res) {
  const token = req.headers.authorization?.replace(/^bearer +/i, '') ?? '';
  try {
    const auth = await gatehouse.authenticate(token);
    if (auth) answer(res, 200, { customer: auth.user.id, orders: [{ id: 1, item: 'Lantern' }] });
    else answer(res, 401, { error: 'sign in first' });
  } catch {
    // The database is away: nobody passes, and nobody is taken for a stranger.
    answer(res, 503, { error: 'try again in a moment' });
  }
}

function answer(res, status, body) {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

server.listen(port, () => console.log(`listening on ${config.baseUrl}`));

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => server.close(() => gatehouse.close()));
}
