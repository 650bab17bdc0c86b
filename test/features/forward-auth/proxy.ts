import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ConfigInput } from '../../../src/config/schema.ts';
import type { App } from '../../support/app.ts';
import { keepSession } from '../../support/browser-cookies.ts';

/** The site of these tests, behind a proxy of this machine. */
export const site = 'accounts.example';
export const settings: ConfigInput = {
  baseUrl: `https://${site}`,
  ...{ enableForwardAuth: true, enableBrowserSessions: true, trustedProxies: ['127.0.0.1'] },
};

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  body: any;
}

export interface Question {
  /** Of the browser's request; null where the proxy does not say it. */
  method?: string | null;
  host?: string | null;
  proto?: string | null;
  uri?: string | null;
  /** Of the proxy's question. */
  by?: string;
  /** The parameters of the question. */
  query?: string;
  headers?: Record<string, string | string[]>;
}

/** Asks as a proxy does: nginx in its own headers. */
export async function ask(app: App, question: Question = {}): Promise<Answer> {
  const { method = 'GET', host = site, proto = 'https', uri = '/orders?page=2' } = question;
  const told = { method, host, proto, uri };
  const given = Object.entries(told).filter(([, value]) => value !== null);
  const isNginx = question.query?.includes('mode=nginx') && uri !== null;
  const headers = {
    ...(isNginx
      ? { 'X-Original-Method': method ?? '', 'X-Original-URL': `${proto}://${host}${uri}` }
      : Object.fromEntries(given.map(([name, value]) => [`X-Forwarded-${name}`, value!]))),
    ...question.headers,
  };
  return send(app, `/api/auth/forward-auth${question.query ?? ''}`, headers, question.by);
}

/** Sends a request with these headers and none else. */
export async function send(
  app: App,
  path: string,
  headers: Record<string, string | string[]> = {},
  method = 'GET',
): Promise<Answer> {
  const { hostname, port } = new URL(app.origin);
  const sent = request({ host: hostname, port, method, path, headers }).end();
  const [response] = await once(sent, 'response');
  const body = await text(response);
  const isJson = /json/.test(response.headers['content-type'] ?? '');
  return { status: response.statusCode, headers: response.headers, body: isJson ? JSON.parse(body) : body };
}

/** The headers of a person who opens a page. */
export const navigation = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' };

/** What a header holds in UTF-8. */
export const inUtf8 = (header: unknown) => Buffer.from(String(header), 'latin1').toString();

/** The cookie of a session, as the browser sends it. */
export const cookieFor = (app: App, { token }: { token: string }) => keepSession(app, token);
