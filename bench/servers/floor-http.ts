// The session check on Node's own server, without any router.
import { createServer } from 'node:http';
import { serve } from './serve.ts';
import { userOf } from './session-check.ts';

const server = createServer(async (req, res) => {
  const user = req.url === '/api/auth/me' ? await userOf(req.headers.authorization) : null;
  const text = JSON.stringify(user ?? {});
  res.writeHead(user ? 200 : 401, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(text);
});

await serve(server);
