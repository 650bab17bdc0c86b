import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { Program } from './program.ts';
import { freePort } from './server-process.ts';

const root = join(import.meta.dirname, '../..');

/** Stands in for the installed package: `gatehouse-auth` is the source of this working copy. */
const fromSource = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
const source = '${pathToFileURL(join(root, 'src/index.ts'))}';
registerHooks({ resolve: (name, context, next) => next(name === 'gatehouse-auth' ? source : name, context) });
`)}`;

/** Runs the server of an example, or a copy of it that has the installed package, and answers how to ask it. */
export async function startExample(name: string, copy?: string) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const file = copy ? [copy] : ['--import', fromSource, join(root, 'examples', name, 'server.js')];
  const host = new Program(file, {
    cwd: await mkdtemp(join(inject('temporaryFolder'), 'example-')),
    env: {
      PORT: String(port),
      SVC_BASE_URL: origin,
      SVC_JWT_SECRET: 'a secret for this test and no other',
      SVC_EMAIL__LOG_BODIES: 'true',
    },
  });
  await host.waitFor(/listening on /);
  const get = (path: string, token?: string) =>
    fetch(origin + path, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  const post = (path: string, body: object) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { host, origin, get, post };
}

export type Example = Awaited<ReturnType<typeof startExample>>;
