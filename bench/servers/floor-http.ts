// The session check on Node's own server, without any router.
import { createServer } from 'node:http';
import { answer, serve } from './serve.ts';
import { userOf } from './session-check.ts';

const server = createServer(async (req, res) => {
  const user = req.url === '/api/auth/me' ? await userOf(req.headers.authorization) : null;
  answer(res, user ? 200 : 401, user ?? {});
});

await serve(server);
