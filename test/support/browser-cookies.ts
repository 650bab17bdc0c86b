import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import express, { type RequestHandler } from 'express';
import { expect } from 'vitest';
import type { Auth } from '../../src/http/guard.ts';
import type { Gatehouse } from '../../src/index.ts';
import type { App } from './app.ts';
import { listen } from './listening.ts';

/** The ways to `createBrowserSession` and `endBrowserSession`; what they answer is less than what they set. */
export const cookieDoors = [
  {
    name: 'REST',
    create: (app: App, token?: string) => app.rest('POST', '/browser-session', undefined, tokenIn(token)),
    end: (app: App, token?: string) => app.rest('DELETE', '/browser-session', undefined, tokenIn(token)),
  },
  {
    name: 'GraphQL',
    create: (app: App, token?: string) =>
      app.graphql('mutation { createBrowserSession { message } }', undefined, tokenIn(token)),
    end: (app: App, token?: string) =>
      app.graphql('mutation { endBrowserSession { message } }', undefined, tokenIn(token)),
  },
];

const tokenIn = (token: string | undefined) => (token === undefined ? {} : { token });

/** The cookie of a response, as a browser sends it back. @throws when there is not exactly one */
export function cookieOf({ headers }: { headers: Headers }): string {
  const cookies = headers.getSetCookie();
  if (cookies.length !== 1) throw new Error(`There are ${cookies.length} cookies.`);
  return cookies[0]!.split(';', 1)[0]!;
}

/** A session in the browser: its cookie, as the browser sends it. */
export const keepSession = async (app: App, token: string) =>
  cookieOf(await app.rest('POST', '/browser-session', undefined, { token }));

export interface HostAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  body: any;
}

/**
 * Starts a host with a route behind each guard that lets the browser's session count, for every method; `before` comes
 * before the guards.
 */
export async function startHost(gatehouse: Gatehouse, before: RequestHandler[] = []) {
  const browser = true;
  const app = express();
  for (const handler of before) app.use(handler);
  const answer: RequestHandler = (req, res) => {
    const { auth, method } = req as typeof req & { auth: Auth | null };
    res.json({ user: auth?.user.id, method });
  };
  app.all('/orders', gatehouse.requireSession({ browser }), answer);
  app.all('/orders/:id', gatehouse.requireSession({ browser }), answer);
  app.all('/recent', gatehouse.requireSession({ browser, recentSeconds: 300 }), answer);
  app.all('/mfa', gatehouse.requireSession({ browser, mfa: true }), answer);
  app.all('/backstage', gatehouse.requireSuperuser({ browser }), answer);
  app.all('/maybe', gatehouse.optionalSession({ browser }), answer);
  app.all('/api', gatehouse.requireSession(), answer);
  app.use((_req, res) => void res.status(404).json('no route'));
  const { port, close } = await listen(app);

  return {
    /** Asks as a browser could: `fetch` would set headers of its own. */
    async ask(method: string, path: string, headers: Record<string, string> = {}): Promise<HostAnswer> {
      const req = request({ host: '127.0.0.1', port, method, path, headers }).end();
      const [res] = await once(req, 'response');
      const body = await text(res);
      return { status: res.statusCode, headers: res.headers, body: body && JSON.parse(body) };
    },
    close,
  };
}

export type Host = Awaited<ReturnType<typeof startHost>>;

/** A request as `startHost` would get it, in the form of the Fetch standard. */
export const asFetch = (method: string, path: string, headers: Record<string, string> = {}) =>
  new Request(`http://internal.example${path}`, { method, headers });

/** A person who opens a page by a link on another site. */
export const navigation = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'cross-site' };

/** These headers, one request after the other. */
export const each = (...headers: Record<string, string>[]) => headers;

export type Ask = Host['ask'];

/** What each route of the host requires beside a session. */
const requirements: Record<string, object> = {
  '/recent': { recentSeconds: 300 },
  '/mfa': { mfa: true },
  '/backstage': { superuser: true },
};

/** Asks the guard on Node and `protect`, which must not differ, and returns the answer of the first. */
export async function askBoth(
  { gatehouse }: App,
  host: Host,
  ...[method, path, headers = {}]: Parameters<Ask>
): Promise<HostAnswer> {
  const answer = await host.ask(method, path, headers);
  const required = { browser: true, ...requirements[path.split('?')[0]!] };
  const { auth, response, headers: own } = await gatehouse.protect(asFetch(method, path, headers), required);
  if (response) {
    const names = ['location', 'cache-control', 'vary', 'www-authenticate', 'content-type'];
    const shown = (name: string) => [name, response.headers.get(name) ?? undefined];
    expect([response.status, Object.fromEntries(names.map(shown))]).toEqual([
      answer.status,
      Object.fromEntries(names.map(name => [name, answer.headers[name]])),
    ]);
    expect(await response.text()).toBe(answer.body === '' ? '' : JSON.stringify(answer.body));
  } else {
    expect(answer).toMatchObject({ status: 200, body: method === 'HEAD' ? '' : { user: auth.user.id } });
    expect(own).toEqual({ 'Cache-Control': 'private, no-store', Vary: 'Cookie' });
  }
  expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-store', vary: 'Cookie' });
  return answer;
}
