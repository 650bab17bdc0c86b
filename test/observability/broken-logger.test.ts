import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, test, vi } from 'vitest';
import { createGatehouse } from '../../src/gatehouse.ts';
import { jwtSecret, password } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { newAddress } from '../support/people.ts';

test('a logger that throws ends nothing', async () => {
  // An attacker makes us log, again and again, while the disk of the logs is full.
  const fail = (): never => {
    throw new Error('no space left on device');
  };
  const gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', loginMaxPerMinute: 1 },
    logger: { debug: fail, info: fail, warn: fail, error: fail },
    mailer: { send: async () => fail() },
  });
  await gatehouse.installSchema();
  const heard = vi.fn(fail);
  gatehouse.on('verification_requested', heard);
  const server = express().use(gatehouse.router).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const post = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' };
    return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  try {
    expect((await post('/register', { email: newAddress(), password })).status).toBe(201);
    await eventually(() => expect(heard).toHaveBeenCalledOnce());
    // Something unforeseen, which is logged.
    vi.spyOn(gatehouse.repositories.users, 'findForSignIn').mockRejectedValueOnce(new Error('unforeseen'));
    expect((await post('/login', { email: newAddress(), password })).status).toBe(500);
    expect((await post('/login', { email: newAddress(), password })).status).toBe(401);
  } finally {
    server.closeAllConnections();
    server.close();
    await gatehouse.close();
  }
});
