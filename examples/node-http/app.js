import { createServer } from 'node:http';

/** Returns the server around an instance of Gatehouse, which a test makes itself. */
export function createApp(gatehouse) {
  // A person without a session signs in first, and comes back; a program gets 401.
  const signedIn = gatehouse.requireSession({ browser: true });

  return createServer((req, res) => {
    // The application handles every other path.
    gatehouse.handler(req, res, () => {
      if (req.url === '/orders') return signedIn(req, res, () => sendOrders(req, res));
      res.writeHead(404).end();
    });
  });
}

function sendOrders(req, res) {
  res.setHeader('Content-Type', 'application/json');
  res.end(JSON.stringify({ customer: req.auth.user.id, orders: [{ id: 1, item: 'Lantern' }] }));
}
