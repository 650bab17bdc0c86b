// Better Auth as its documentation sets it up, with address and password, and its rate limit off.
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import Database from 'better-sqlite3';
import express from 'express';
import pg from 'pg';
import { options, serve } from './serve.ts';

function open(url: string) {
  if (url.startsWith('postgres')) return new pg.Pool({ connectionString: url, max: 10 });
  const database = new Database(url.replace(/^.*?:\/\/\//, ''));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  return database;
}

const auth = betterAuth({
  baseURL: 'http://127.0.0.1',
  secret: 'a secret for the bench of more than 32 characters',
  database: open(options.databaseUrl),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  session: { cookieCache: { enabled: options.cookieCache, maxAge: 3600 } },
  telemetry: { enabled: false },
  advanced: { disableOriginCheck: true, disableCSRFCheck: true },
  logger: { level: 'error' },
});
await (await getMigrations(auth.options)).runMigrations();

const app = express();
app.all('/api/auth/*splat', toNodeHandler(auth));

await serve(createServer(app), {
  /** Makes users who are signed in, and answers the cookies of each. */
  async seed(users: number) {
    const seeded: { email: string; password: string; cookie: string }[] = [];
    for (let i = 0; i < users; i++) {
      const body = { name: `User ${i}`, email: `user-${i}@example.org`, password: 'correct horse battery' };
      const { headers } = await auth.api.signUpEmail({ body, returnHeaders: true });
      const cookie = headers
        .getSetCookie()
        .map(line => line.split(';')[0]!)
        .join('; ');
      seeded.push({ email: body.email, password: body.password, cookie });
    }
    return seeded;
  },
});
