import { once } from 'node:events';
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { App } from '../support/app.ts';

/** What a request carries; chunks go without a Content-Length. */
export type Body = Buffer | string | Iterable<Buffer>;

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A request as `fetch` would not send it. Chunks go without a Content-Length, as chunked bodies do. */
export async function sendTo(
  to: App,
  path: string,
  body: Body = '',
  { headers = {}, ...options }: RequestOptions = {},
): Promise<Answer> {
  const type = { 'content-type': 'application/json' };
  const req = request(`${to.url}${path}`, { method: 'POST', ...options, headers: { ...type, ...headers } });
  const answered = once(req, 'response');
  // Unread bytes may reset the connection once the answer is here.
  req.on('error', () => {});
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    req.setHeader('content-length', Buffer.byteLength(body));
    req.end(body);
  } else {
    for (const chunk of body) req.write(chunk);
    req.end();
  }
  const [res] = await answered;
  return { status: res.statusCode, headers: res.headers, text: await text(res) };
}
