// An API in a process of its own, which checks the access tokens of Gatehouse.
import { createServer } from 'node:http';
import { createResourceServer } from 'gatehouse-auth/verify';

const { PORT = '8200', ISSUER = 'http://localhost:8000', RESOURCE = 'https://api.example.org' } = process.env;

const orders = createResourceServer({
  issuer: ISSUER,
  resource: RESOURCE,
  scopes: ['orders:read', 'orders:write'],
});
const mayRead = orders.requireToken({ scopes: ['orders:read'], cors: true });

createServer((req, res) => {
  if (req.url !== '/orders') return res.writeHead(404).end();
  mayRead(req, res, () => {
    // A scope says what the token is for. The API decides by its own data what the person may do.
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify({ of: req.auth.userId, orders: [] }));
  });
}).listen(Number(PORT), 'localhost', () => console.log(`listening on http://localhost:${PORT}`));
