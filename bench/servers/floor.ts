// The session check on a bare Express server, and what a sign-in costs at least.
import { createServer, type ServerResponse } from 'node:http';
import argon2 from 'argon2';
import express from 'express';
import { options, serve } from './serve.ts';
import { userOf } from './session-check.ts';

function answer(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  res.end(text);
}

const app = express();
app.disable('x-powered-by');

app.get('/api/auth/me', async (req, res) => {
  const user = await userOf(req.headers.authorization);
  answer(res, user ? 200 : 401, user ?? {});
});

// What a login costs at least: one hash.
app.post('/api/auth/login', async (_req, res) => {
  answer(res, 200, { access_token: await argon2.verify(options.hash, options.password) });
});

await serve(createServer(app));
