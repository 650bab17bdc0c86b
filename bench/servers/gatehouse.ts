// Gatehouse in a host of its own, as docs/embedding.md has it and as the package ships it.
import { createServer } from 'node:http';
import express from 'express';
import { PasswordHasher } from '../../src/crypto/password-hash.ts';
import { openArgon2 } from '../../src/crypto/schemes/argon2.ts';
import { createGatehouse } from '../.build/dist/index.js';
import { jwtSecret } from '../seed.ts';
import { answer, options, serve } from './serve.ts';

const nobody = { send: async () => {} };
const quiet = { debug() {}, info() {}, warn: console.warn, error: console.error };
const gatehouse = await createGatehouse({
  jwtSecret,
  logger: quiet,
  mailer: nobody,
  enableAdminRouter: true,
  enableOauth: true,
  oauth: { googleClientId: 'bench', googleClientSecret: 'bench' },
  ...options,
});
await gatehouse.installSchema();

const app = express();
app.disable('x-powered-by');
app.use(gatehouse.config.apiPrefix, gatehouse.router);
app.get('/host', gatehouse.requireSession(), (req, res) => {
  answer(res, 200, req.auth.user);
});

if (gatehouse.config.enableTokens)
  app.get('/orders', gatehouse.resource('orders').requireToken(), (req, res) => {
    answer(res, 200, req.auth.user);
  });

await serve(createServer(app), {
  /** Passwords verified in a second, with so many in flight and nothing else going on. */
  async hashing(hash: string, password: string, inFlight: number, seconds: number) {
    const hasher = new PasswordHasher({ argon2: await openArgon2() });
    const until = performance.now() + seconds * 1000;
    let verified = 0;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (performance.now() < until) {
          if (!(await hasher.verify(hash, password, null))) throw new Error('a right password was refused');
          verified++;
        }
      }),
    );
    return verified / seconds;
  },
  /** Removes what has expired, and answers how many audit records that were and in how many milliseconds. */
  async purge() {
    const startedAt = performance.now();
    const { audit } = await gatehouse.purgeExpired();
    return { audit, ms: performance.now() - startedAt };
  },
  /** Collects garbage and answers the heap that is in use, in MiB. */
  collect() {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 2 ** 20;
  },
});
