import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { HttpRequest, HttpResponse } from '../http/message.ts';

interface Content {
  type: string;
  /** The same object for the same content: what is compressed is remembered for it. */
  body: Buffer;
  headers: Record<string, string>;
  /** Default: 200. */
  status?: number | undefined;
}

/**
 * Returns content that is the same for every client, or 304 if the browser's copy is current (RFC 9110 §13.1.2). The tag
 * is a weak one, because compression changes the bytes.
 */
export async function contentResponse(
  { headers: asked, method }: Pick<HttpRequest, 'headers' | 'method'>,
  { type, body, headers, status = 200 }: Content,
): Promise<HttpResponse> {
  const tag = `W/"${hashOf(body)}"`;
  const known = asked['if-none-match']?.split(',').map(text => text.trim());
  const own = { ETag: tag, Vary: 'Accept-Encoding', 'X-Content-Type-Options': 'nosniff', ...headers };
  if (known?.includes(tag) && status === 200) return { status: 304, headers: own, body: null };
  const encoding = encodingFor(asked, body);
  const bytes = encoding ? await compressed(body, encoding) : body;
  return {
    status,
    headers: {
      ...own,
      'Content-Type': type,
      ...(encoding && { 'Content-Encoding': encoding }),
      'Content-Length': String(bytes.length),
    },
    body: method === 'HEAD' ? null : bytes,
  };
}

/** Returns a short hash of a content: long enough to make a collision impossible in practice. */
export const hashOf = (body: Buffer) => createHash('sha256').update(body).digest('base64url').slice(0, 16);

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };
type Encoding = keyof typeof compressors;
/** The one whose results are smaller comes first. */
const encodings: Encoding[] = ['br', 'gzip'];

/** Smaller contents become hardly smaller, in bytes. */
const leastCompressed = 1024;

/** Returns the smallest encoding that a client accepts (RFC 9110 §12.5.3), or null for none. */
function encodingFor(headers: HttpRequest['headers'], body: Buffer): Encoding | null {
  if (body.length < leastCompressed || headers['accept-encoding'] === undefined) return null;
  const accepted = new Negotiator({ headers }).encodings(['br', 'gzip']);
  return encodings.find(each => accepted.includes(each)) ?? null;
}

const remembered = new WeakMap<Buffer, Partial<Record<Encoding, Promise<Buffer>>>>();

/** Returns the compressed content. Each is compressed once. */
function compressed(body: Buffer, encoding: Encoding): Promise<Buffer> {
  const known = remembered.get(body) ?? {};
  remembered.set(body, known);
  known[encoding] ??= compressors[encoding](body);
  return known[encoding];
}
