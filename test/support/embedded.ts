import type { RequestListener } from 'node:http';
import express from 'express';
import {
  createGatehouse,
  type Gatehouse,
  type GatehouseOptions,
  type Mail,
  type TextMessage,
} from '../../src/index.ts';
import { jwtSecret, password, TestClock } from './app.ts';
import { listen } from './listening.ts';
import { newAddress } from './people.ts';

export const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Nothing listens here. */
export const deadDatabase = 'postgresql+asyncpg://nobody:nothing@127.0.0.1:1/nowhere';

export const endings: (() => Promise<unknown>)[] = [];

/** An instance as a host makes it: everything it needs is in the argument. */
export async function embed(options: GatehouseOptions = {}) {
  const mails: Mail[] = [];
  const texts: TextMessage[] = [];
  const gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', requireVerification: false },
    clock: new TestClock(),
    logger: silent,
    mailer: { send: async mail => void mails.push(mail) },
    smsSender: { send: async message => void texts.push(message) },
    ...options,
  });
  endings.push(() => gatehouse.close());
  if (options.databaseUrl !== deadDatabase) await gatehouse.installSchema();
  return { gatehouse, mails, texts };
}

/** Serves on loopback and answers how to ask: the status, and the body as it was read. */
export async function serve(listener: RequestListener) {
  const { origin, close } = await listen(listener);
  endings.push(close);
  return async (method: string, path: string, { token, body }: { token?: string; body?: object } = {}) => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  };
}

export type Ask = Awaited<ReturnType<typeof serve>>;

export const serveRouter = (gatehouse: Gatehouse) =>
  serve(express().use(gatehouse.config.apiPrefix, gatehouse.router));

/** Registers somebody and signs in. */
export async function signIn(ask: Ask, email = newAddress()) {
  const { body: user } = await ask('POST', '/api/auth/register', { body: { email, password } });
  const { body } = await ask('POST', '/api/auth/login', { body: { email, password } });
  return { id: user.id as string, email, token: body.access_token as string };
}
