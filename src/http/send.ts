import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpResponse } from './message.ts';

/**
 * Sends a response with Node's own methods, because a host application may use any framework or none. Text is sent in one
 * write with its headers, bytes in a second one.
 */
export function sendResponse(res: ServerResponse, { status, headers, body }: HttpResponse): void {
  if (res.headersSent || res.destroyed) return void res.destroy();
  // A host may hand over a response of its own making.
  const { replyHeaders } = (res.req ?? {}) as IncomingMessage & { replyHeaders?: Record<string, string> };
  res.writeHead(status, replyHeaders ? { ...replyHeaders, ...headers } : headers);
  res.end(body ?? undefined);
}

/** The connection belongs to the runtime. */
export function toFetchResponse({ status, headers, body }: HttpResponse, method: string): Response {
  const { Connection: _, ...others } = headers;
  const content = typeof body === 'string' || body === null ? body : new Uint8Array(body);
  return new Response(method === 'HEAD' ? null : content, { status, headers: others });
}
