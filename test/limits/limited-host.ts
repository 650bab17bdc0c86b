import express from 'express';
import { loadConfig } from '../../src/config/load.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { assemble } from '../../src/gatehouse.ts';
import type { Limiter } from '../../src/limits/rate-limit.ts';
import { jwtSecret } from '../support/app.ts';
import { listen } from '../support/listening.ts';
import { newAddress, upTo } from '../support/people.ts';

export interface Options {
  settings?: ConfigInput;
  limiter?: Limiter;
  /** What the host says about proxies. */
  trustProxy?: string;
}

export interface Host {
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  logs: unknown[];
  close(): Promise<void>;
}

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  body: any;
}

export const silent = { send: async () => {} };

export function configOf(settings: ConfigInput = {}) {
  const databaseUrl = 'sqlite+aiosqlite:///:memory:';
  const { config } = loadConfig({
    arguments: { jwtSecret, databaseUrl, ...settings },
    env: {},
    cwd: import.meta.dirname,
  });
  return config;
}

/** An instance in an Express host whose settings a test chooses. */
export async function startHost({ settings, limiter, trustProxy }: Options = {}): Promise<Host> {
  const logs: unknown[] = [];
  const log = (fields: object, message: string) => void logs.push({ fields, message });
  const logger = { debug: log, info: log, warn: log, error: log };
  const config = configOf(settings);
  const gatehouse = await assemble(config, { mailer: silent, limiter, logger });
  await gatehouse.installSchema();
  const app = express();
  if (trustProxy) app.set('trust proxy', trustProxy);
  app.use(config.apiPrefix, gatehouse.router);
  const site = await listen(app);
  const url = `${site.origin}${config.apiPrefix}`;
  return {
    logs,
    post: (path, body, headers) => send(`${url}${path}`, body, headers),
    async close() {
      await site.close();
      await gatehouse.close();
    },
  };
}

async function send(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(url, {
    method: url.endsWith('/account') ? 'DELETE' : 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export const forgot = (host: Host, headers?: Record<string, string>) =>
  host.post('/forgot-password', { email: newAddress() }, headers);

export const from = (address: string) => ({ 'X-Forwarded-For': address });

export const rateLimitOf = ({ headers }: Reply) =>
  ['Limit', 'Remaining', 'Reset'].map(name => headers.get(`RateLimit-${name}`));

/** What a document of so many logins answers, each for an address of its own. */
export function manyLogins(host: Host, count: number) {
  const login = (i: number) =>
    `l${i}: login(input: { email: "${newAddress()}", password: "wrong horse" }) { __typename }`;
  return host.post('/graphql', { query: `mutation { ${upTo(count).map(login).join(' ')} }` });
}
