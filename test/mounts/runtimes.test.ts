import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { api } from '../features/access-tokens/api.ts';
import { type App, signUp, startApp, TestClock } from '../support/app.ts';
import { installExamples, whySkipped } from '../support/installed-examples.ts';
import { Program } from '../support/program.ts';
import { freePort } from '../support/server-process.ts';

// `gatehouse-auth/verify` of the packed package in other runtimes than Node (CONTRACT §16.5).

/** How each is started, and the package that brings it. */
const runtimes = {
  deno: { package: { deno: '2.9.6' }, command: 'deno', args: ['run', '-A', '--no-lock', 'deno.mjs'] },
  bun: { package: { bun: '1.4.5' }, command: 'bun', args: ['bun.mjs'] },
  workerd: { package: { miniflare: '4.20260730.0' }, command: null, args: ['workerd.mjs'] },
};

const installed = await Promise.all(
  Object.entries(runtimes).map(async ([name, runtime]) => ({
    ...{ name, ...runtime },
    found: await installExamples([], runtime.package).catch((error: Error) => ({ reason: error.message })),
  })),
);

let app: App;
let close: () => void;
beforeAll(async () => {
  const port = await freePort();
  app = await startApp({
    // These programs have the time of the machine.
    clock: new TestClock(new Date().toISOString()),
    settings: {
      ...{ baseUrl: `http://localhost:${port}`, enableTokens: true, dataEncryptionKey: 'A'.repeat(43) },
      resources: { orders: api },
    },
  });
  const server = createServer((req, res) => app.gatehouse.handler(req, res)).listen(port, 'localhost');
  await once(server, 'listening');
  close = () => {
    server.closeAllConnections();
    server.close();
  };
});
afterAll(async () => {
  close?.();
  await app?.close();
});

describe.each(installed)('$name', ({ command, args, found }) => {
  test.skipIf('reason' in found)(`checks tokens${whySkipped(found)}`, async () => {
    const { folder } = found as { folder: string };
    await cp(join(import.meta.dirname, 'runtimes'), folder, { recursive: true });
    if (command === null) {
      const bundle = await rolldown({ input: join(folder, 'worker.mjs'), platform: 'browser' });
      await bundle.write({ file: join(folder, 'bundle.mjs'), format: 'esm' });
    }
    const port = await freePort();
    const program = new Program(args, {
      cwd: folder,
      env: {
        PORT: String(port),
        ISSUER: app.gatehouse.config.issuer,
        RESOURCE: api.identifier,
        HOME: folder,
      },
      ...(command !== null && { command: join(folder, 'node_modules/.bin', command) }),
    });
    try {
      await program.waitFor(/listening on/);
      const ask = async (token?: string) => {
        const headers: Record<string, string> =
          token === undefined ? {} : { Authorization: `Bearer ${token}` };
        const response = await fetch(`http://127.0.0.1:${port}/orders`, { headers });
        return [response.status, await response.json()] as const;
      };
      const { id, token: session } = await signUp(app);
      const issue = async (scope: string) => {
        const input = { resource: api.identifier, scopes: [scope] };
        return (await app.rest('POST', '/tokens', input, { token: session })).body.access_token as string;
      };
      const right = await issue('orders:read');
      expect(await ask(right)).toEqual([200, { of: id }]);
      expect(await ask(await issue('orders:write'))).toMatchObject([403, { code: 'insufficient_scope' }]);
      for (const refused of [undefined, 'x', session, `${right.slice(0, -4)}AAAA`])
        expect(await ask(refused)).toMatchObject([401, { code: 'unauthenticated' }]);
    } finally {
      await program.kill();
    }
  });
});
