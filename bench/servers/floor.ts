// The session check on a bare Express server, and what a sign-in costs at least.
import { createServer } from 'node:http';
import argon2 from 'argon2';
import express from 'express';
import { answer, options, serve } from './serve.ts';
import { userOf } from './session-check.ts';

const app = express();
app.disable('x-powered-by');

app.get('/api/auth/me', async (req, res) => {
  const user = await userOf(req.headers.authorization);
  answer(res, user ? 200 : 401, user ?? {});
});

// The least cost of a login: one hash.
app.post('/api/auth/login', async (_req, res) => {
  answer(res, 200, { access_token: await argon2.verify(options.hash, options.password) });
});

await serve(createServer(app));
