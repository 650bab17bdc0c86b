import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { describeEachKind } from './support/backends.ts';
import { installPacked } from './support/packed.ts';

const run = promisify(execFile);

/** A build takes as long as the machine takes; no rule here is about that. */
const buildTimeoutMs = 180_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(inject('temporaryFolder'), 'package-'));
  await installPacked(folder, ['@mikro-orm/postgresql', '@mikro-orm/mongodb']);
}, buildTimeoutMs);

/** The same calls through REST and GraphQL, and one that a unique index refuses. */
const host = `
import { createGatehouse } from 'gatehouse-auth';
const gatehouse = await createGatehouse({ databaseUrl: process.argv[2], requireVerification: false,
  logger: { debug() {}, info() {}, warn() {}, error() {} } });
await gatehouse.installSchema();
const ask = async (path, body, token) => {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: 'Bearer ' + token }) };
  const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const response = await gatehouse.fetch(new Request('http://localhost/api/auth' + path, { ...sent, headers }));
  return [response.status, await response.json()];
};
const ada = { email: 'ada@example.org', password: 'correct horse' };
const [registered] = await ask('/register', ada);
const [refused] = await ask('/register', ada);
const [, { access_token }] = await ask('/login', ada);
const [, me] = await ask('/me', undefined, access_token);
const [, { data }] = await ask('/graphql', { query: '{ me { email } }' }, access_token);
const { isReady } = await gatehouse.readiness();
console.log(JSON.stringify({ registered, refused, me: me.email, graphql: data.me.email, isReady }));
await gatehouse.close();
`;

describeEachKind('the package as it is installed', ({ createDatabase }) => {
  test('serves REST and GraphQL, and knows the errors of the database', async () => {
    const database = await createDatabase();
    try {
      await writeFile(join(folder, 'host.mjs'), host);
      const { stdout } = await run(process.execPath, ['host.mjs', database.url], {
        cwd: folder,
        env: { PATH: process.env.PATH, SVC_JWT_SECRET: 'a signing secret of the package tests' },
      });
      expect(JSON.parse(stdout)).toEqual({
        registered: 201,
        refused: 409,
        me: 'ada@example.org',
        graphql: 'ada@example.org',
        isReady: true,
      });
    } finally {
      await database.drop();
    }
  });
});
