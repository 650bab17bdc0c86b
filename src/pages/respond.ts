import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { HostRequest } from '../rest/route.ts';

interface Content {
  type: string;
  body: Buffer;
  headers: Record<string, string>;
  /** 200 unless told. */
  status?: number | undefined;
}

/**
 * Sends what is the same for everybody, or that the browser's copy still holds (RFC 9110 §13.1.2). The tag is a weak
 * one, because compression changes the bytes. Writes with Node's own methods, as a host need not be this Express.
 */
export function respond(
  req: HostRequest,
  res: ServerResponse,
  { type, body, headers, status = 200 }: Content,
): void {
  const tag = `W/"${hashOf(body)}"`;
  const known = req.headers['if-none-match']?.split(',').map(text => text.trim());
  const isFresh = known?.includes(tag) ?? false;
  const own = { ETag: tag, 'X-Content-Type-Options': 'nosniff', ...headers };
  if (isFresh && status === 200) {
    res.writeHead(304, own);
    res.end();
    return;
  }
  res.writeHead(status, { ...own, 'Content-Type': type, 'Content-Length': body.length });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** A short name of a content: as many characters as make two contents of one name impossible in practice. */
export const hashOf = (body: Buffer) => createHash('sha256').update(body).digest('base64url').slice(0, 16);
