import type { IncomingMessage } from 'node:http';
import { GatehouseError } from '../errors.ts';
import type { HostRequest } from './route.ts';

/** The longest body that either door reads, in bytes. */
const bodyLimit = 64 * 1024;
/** How much of a body that is refused is still read, so that the client gets to see the refusal. */
const discardLimit = 1024 * 1024;

/**
 * The JSON value of a request's body, or `{}` when it has none. A body that a parser of the host has read is taken
 * as it left it.
 * @throws {GatehouseError} unsupported_media_type, body_too_large, bad_json
 */
export async function readJson(req: HostRequest): Promise<unknown> {
  if (req.readableDidRead && req.body !== undefined) {
    // A host may have parsers for forms and texts too.
    if (!declared(req).isJson) throw new GatehouseError('unsupported_media_type');
    if (sizeOf(req) > bodyLimit) throw new GatehouseError('body_too_large');
    return parsedByHost(req.body);
  }
  if (!hasBody(req)) return {};
  if (req.readableEnded) {
    throw new GatehouseError('bad_json', {
      detail: 'The body was read before it got here and left nowhere.',
    });
  }
  assertJson(req);
  return parseJson(await readBytes(req));
}

/** RFC 9112 §6: a request has a body if and only if it says so. */
function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function assertJson(req: IncomingMessage): void {
  const { isJson, isUtf8, isPlain } = declared(req);
  if (!isJson || !isUtf8 || !isPlain) {
    req.resume();
    throw new GatehouseError('unsupported_media_type');
  }
}

/** What a request says its body is. */
function declared(req: IncomingMessage) {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map(part => part.trim());
  return {
    isJson: /^application\/(?:[\w.-]+\+)?json$/.test(type),
    isUtf8: parameters.every(p => !p.startsWith('charset=') || /^charset="?utf-?8"?$/.test(p)),
    isPlain: (req.headers['content-encoding'] ?? 'identity') === 'identity',
  };
}

async function readBytes(req: IncomingMessage): Promise<Buffer> {
  if (Number(req.headers['content-length']) > bodyLimit) throw refuse(req, 0);
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bodyLimit) chunks.push(chunk);
      else reject(refuse(req, size));
    });
    const cut = () => reject(new GatehouseError('bad_json', { detail: 'The body ended too soon.' }));
    req.once('end', () => {
      req.off('close', cut);
      resolve();
    });
    req.once('error', cut);
    req.once('close', cut);
  });
  return Buffer.concat(chunks);
}

function refuse(req: IncomingMessage, alreadyRead: number): GatehouseError {
  let left = discardLimit - alreadyRead;
  req.removeAllListeners('data');
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) req.destroy();
  });
  req.resume();
  return new GatehouseError('body_too_large');
}

/** How long a body was that a parser of the host has read, in bytes: its limit may be higher than ours. */
function sizeOf(req: HostRequest): number {
  const { body, headers } = req;
  if (Buffer.isBuffer(body)) return body.length;
  if (typeof body === 'string') return Buffer.byteLength(body);
  const length = Number(headers['content-length']);
  // Sent in pieces, or compressed, what it says is not what it was.
  const isTold = Number.isInteger(length) && declared(req).isPlain;
  if (isTold) return length;
  try {
    return Buffer.byteLength(JSON.stringify(body) ?? '');
  } catch {
    // Nested deeper than the stack.
    return Number.POSITIVE_INFINITY;
  }
}

function parsedByHost(body: unknown): unknown {
  if (Buffer.isBuffer(body)) return parseJson(body);
  return typeof body === 'string' ? parseJson(Buffer.from(body)) : body;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new GatehouseError('bad_json');
  }
}
