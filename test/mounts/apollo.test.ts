import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { execute, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compose, ordersOf } from '../features/federation/orders.ts';
import { settings, superuser } from '../features/federation/subgraph.ts';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { installPackages, whySkipped } from '../support/installed-examples.ts';
import { Program } from '../support/program.ts';
import { freePort } from '../support/server-process.ts';

// A supergraph through Apollo's own gateway, which needs graphql 16 (CONTRACT §19). It is Elastic-2.0: for tests only.

const installed = await installPackages({ '@apollo/gateway': '2.14.4', graphql: '16.11.0' }).catch(
  (error: Error) => ({ reason: error.message }),
);

describe.skipIf('reason' in installed)(`@apollo/gateway${whySkipped(installed)}`, () => {
  const { folder } = installed as { folder: string };
  let app: App;
  let member: Member;
  let other: Member;
  let program: Program;
  let gatewayUrl: string;
  const orders = createServer(async (req, res) => {
    const { query, variables } = JSON.parse(await text(req));
    const service = ordersOf([member.id, other.id, member.id]);
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify(await execute({ ...service, document: parse(query), variableValues: variables })));
  });

  beforeAll(async () => {
    app = await startApp({ settings: { ...settings, enableAdminRouter: true } });
    [member, other] = [await signUp(app), await signUp(app)];
    orders.listen(0, '127.0.0.1');
    await once(orders, 'listening');
    const { sdl } = (await app.graphql('{ _service { sdl } }')).body.data._service;
    const supergraph = compose(sdl, {
      accounts: `${app.url}/graphql`,
      orders: `http://127.0.0.1:${(orders.address() as AddressInfo).port}`,
    });
    await writeFile(join(folder, 'supergraph.graphql'), supergraph);
    await cp(join(import.meta.dirname, 'apollo/gateway.mjs'), join(folder, 'gateway.mjs'));
    const port = await freePort();
    gatewayUrl = `http://127.0.0.1:${port}`;
    program = new Program(['gateway.mjs'], { cwd: folder, env: { PORT: String(port) } });
    await program.waitFor(/listening on/);
  });
  afterAll(async () => {
    await program?.kill();
    orders.closeAllConnections();
    orders.close();
    await app?.close();
  });

  async function ask(query: string, token?: string) {
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetch(gatewayUrl, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return response.json();
  }

  const whose = '{ orders { id owner { id email orderCount } } }';

  test('joins one’s own account with its orders, and tells nothing of others', async () => {
    expect(await ask('{ me { email orderCount } }', member.token)).toEqual({
      data: { me: { email: member.email, orderCount: 2 } },
    });
    const { data } = await ask('{ orders { id owner { email } } }', member.token);
    expect(data.orders.map(({ owner }: { owner: { email: string } | null }) => owner?.email ?? null)).toEqual(
      [member.email, null, member.email],
    );
  });

  test('shows a superuser to whom the orders belong', async () => {
    const admin = await superuser(app);
    const { data } = await ask(whose, admin.token);
    expect(data.orders).toEqual([
      { id: '0', owner: { id: member.id, email: member.email, orderCount: 2 } },
      { id: '1', owner: { id: other.id, email: other.email, orderCount: 1 } },
      { id: '2', owner: { id: member.id, email: member.email, orderCount: 2 } },
    ]);
  });

  test('tells nothing of an account without a session', async () => {
    const { data, errors } = await ask(whose);
    expect(JSON.stringify(data)).not.toContain('@');
    expect(errors[0].extensions.code).toBe('unauthenticated');
  });
});
