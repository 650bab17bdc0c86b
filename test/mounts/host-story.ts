import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const run = promisify(execFile);

/** An Express application of a few lines, and a person who uses each interface of it. */
const story = `
import { once } from 'node:events';
import express from 'express';
import { createGatehouse } from 'gatehouse-auth';

const logger = { debug() {}, info() {}, warn() {}, error() {} };
const gatehouse = await createGatehouse({
  ...{ databaseUrl: process.env.DATABASE_URL, jwtSecret: 'of a story that is told within one process', logger },
  ...{ requireVerification: false, enableUiRouter: true, enableAdminRouter: true, loginRateLimit: '20/minute' },
  ...{ enableTotp: true, enablePasskeys: true, dataEncryptionKey: 'A'.repeat(43), enableMetrics: true },
});
await gatehouse.installSchema();
const { config } = gatehouse;
const app = express();
app.use(config.apiPrefix, gatehouse.router);
app.use(config.uiPrefix, gatehouse.uiRouter);
app.get('/orders', gatehouse.requireSession(), (req, res) => { res.json(req.auth.user.email); });
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = 'http://127.0.0.1:' + server.address().port;

async function call(method, path, body, token) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: 'Bearer ' + token }) };
  const response = await fetch(origin + path, { method, headers, body: body && JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}
const ada = { email: 'ada@example.org', password: 'correct horse battery' };
await gatehouse.users.create({ ...ada, isVerified: true });
const login = await call('POST', '/api/auth/login', ada);
const token = JSON.parse(login.text).access_token;
const graphql = () => call('POST', '/api/auth/graphql', { query: '{ me { email } users { totalCount } }' }, token);
// The first time by the general path, the second time by its plan.
const [first, second] = [await graphql(), await graphql()];
const passkey = JSON.parse((await call('POST', '/api/auth/passkeys/start', undefined, token)).text);
const app1 = JSON.parse((await call('POST', '/api/auth/totp/start', undefined, token)).text);
const page = await call('GET', config.uiPrefix + '/login');
console.log(JSON.stringify({
  login: login.status,
  graphql: JSON.parse(first.text), isSame: first.text === second.text,
  passkey: typeof passkey.options.challenge, totp: app1.qr_svg.slice(0, 4),
  page: page.status, orders: (await call('GET', '/orders', undefined, token)).text,
}));
server.closeAllConnections();
server.close();
await gatehouse.close();
`;

/** Tells the story in a folder that has the package and what it needs. Returns how it ends. */
export async function tellStory(folder: string, databaseUrl = 'sqlite:///:memory:'): Promise<unknown> {
  await writeFile(join(folder, 'story.mjs'), story);
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const { stdout } = await run(process.execPath, ['story.mjs'], { cwd: folder, env });
  return JSON.parse(stdout);
}

export const ending = {
  ...{ login: 200, page: 200, orders: '"ada@example.org"' },
  graphql: {
    errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'forbidden' }) })],
    data: { me: { email: 'ada@example.org' }, users: null },
  },
  ...{ isSame: true, passkey: 'string', totp: '<svg' },
};
