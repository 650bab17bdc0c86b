import { createServer } from 'node:http';
import { createGatehouse } from 'gatehouse-auth';

const port = Number(process.env.PORT || 8000);
const gatehouse = await createGatehouse({ baseUrl: `http://localhost:${port}`, enableUiRouter: true });
await gatehouse.installSchema();
const signedIn = gatehouse.requireSession();

const server = createServer((req, res) => {
  // What Gatehouse does not know is the application's own.
  gatehouse.handler(req, res, () => {
    if (req.url === '/orders') return signedIn(req, res, () => sendOrders(req, res));
    res.writeHead(404).end();
  });
});

function sendOrders(req, res) {
  res.setHeader('Content-Type', 'application/json');
  res.end(JSON.stringify({ customer: req.auth.user.id, orders: [{ id: 1, item: 'Lantern' }] }));
}

server.listen(port, () => console.log(`listening on ${gatehouse.config.baseUrl}`));
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => server.close(() => gatehouse.close()));
}
