import express from 'express';
import { expect, test, vi } from 'vitest';
import { createGatehouse } from '../../src/gatehouse.ts';
import { jwtSecret, password } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/listening.ts';
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
  const site = await listen(express().use(gatehouse.router));
  const post = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' };
    return fetch(`${site.origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  try {
    expect((await post('/register', { email: newAddress(), password })).status).toBe(201);
    await eventually(() => expect(heard).toHaveBeenCalledOnce());
    // Something unforeseen, which is logged.
    vi.spyOn(gatehouse.repositories.users, 'findForSignIn').mockRejectedValueOnce(new Error('unforeseen'));
    expect((await post('/login', { email: newAddress(), password })).status).toBe(500);
    expect((await post('/login', { email: newAddress(), password })).status).toBe(401);
  } finally {
    await site.close();
    await gatehouse.close();
  }
});
