import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { emptyFolder } from '../cli/support.ts';
import { jwtSecret } from '../support/app.ts';

const entry = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href;

/** A host that signs somebody in, and prints which packages of the ORM it has loaded. */
const host = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      // The check of the ORM's release reads its manifests, and none of its code.
      if (/^(@mikro-orm|kysely)/.test(specifier) && !specifier.endsWith('/package.json')) loaded.add(specifier);
      return next(specifier, context);
    },
  });
  const { createGatehouse } = await import(${JSON.stringify(entry)});
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const gatehouse = await createGatehouse({ logger: silent });
  await gatehouse.installSchema();
  const email = 'ada@example.org', password = 'correct horse battery';
  if (!(await gatehouse.users.findByEmail(email)))
    await gatehouse.users.create({ email, password, isVerified: true });
  const url = 'http://localhost:8000/api/auth/login';
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ email, password });
  const { status } = await gatehouse.fetch(new Request(url, { method: 'POST', headers, body }));
  await gatehouse.close();
  console.log(JSON.stringify({ status, loaded: [...loaded] }));
`;

test('a file whose schema is current is served without the ORM', async () => {
  const folder = await emptyFolder();
  const env = {
    ...{ PATH: process.env.PATH, SVC_JWT_SECRET: jwtSecret },
    SVC_DATABASE_URL: `sqlite+aiosqlite:///${join(folder, 'gatehouse.db')}`,
  };
  const run = async () => {
    const args = ['--input-type=module', '--eval', host];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    return JSON.parse(stdout);
  };
  const first = await run();
  expect(first.status).toBe(200);
  expect(first.loaded).toContain('@mikro-orm/sqlite');
  expect(await run()).toEqual({ status: 200, loaded: [] });
});
