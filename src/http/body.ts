import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import getRawBody, { type RawBodyError } from 'raw-body';
import { GatehouseError } from '../errors.ts';
import { type Said, say } from '../words/said.ts';
import type { HostRequest } from './host-request.ts';

/** A body that can be read, with the headers that describe it. */
type Body = Readable & { headers: IncomingHttpHeaders };

/** The largest body that REST and GraphQL read, in bytes. */
const bodyLimit = 64 * 1024;
/** How many bytes of a rejected body are still read, so that the client can receive the response. */
const discardLimit = 1024 * 1024;

/** How a body must be declared, and what its bytes mean. */
interface Form<T> {
  isDeclared(type: string): boolean;
  /** Tells a client that declares another type how this one is declared; the error does that for JSON. */
  refusal?: Said;
  /** @throws {GatehouseError} bad_json */
  parse(bytes: Buffer): T;
}

const json: Form<unknown> = {
  isDeclared: type => /^application\/(?:[\w.-]+\+)?json$/.test(type),
  parse: parseJson,
};

const urlencoded: Form<Record<string, unknown>> = {
  isDeclared: type => type === 'application/x-www-form-urlencoded',
  refusal: say('error_body_no_form'),
  parse: parseUrlencoded,
};

/**
 * Returns the JSON value of a request's body, or `{}` if it has none. A body that a parser of the host application has
 * read is used as the parser left it.
 * @throws {GatehouseError} unsupported_media_type, body_too_large, bad_json
 */
export const readJson = (req: HostRequest): Promise<unknown> => read(req, json);

/** As `readJson`, for the fields of a form. */
export const readForm = (req: HostRequest): Promise<Record<string, unknown>> => read(req, urlencoded);

/** Returns the refusal of a body of another type. */
const undeclared = ({ refusal }: Form<unknown>) =>
  new GatehouseError('unsupported_media_type', refusal && { detail: refusal });

async function read<T>(req: HostRequest, form: Form<T>): Promise<T> {
  if (req.readableDidRead && req.body !== undefined) {
    // A host application may parse forms and plain text too.
    if (!declared(req, form).isForm) throw undeclared(form);
    if (sizeOf(req) > bodyLimit) throw new GatehouseError('body_too_large');
    return parsedByHost(req.body, form);
  }
  // Another reader has read it to its end, and it had no bytes.
  const wasEmpty = req.readableEnded && !req.readableDidRead;
  if (!hasBody(req) || wasEmpty) return form.parse(nothing);
  if (req.readableEnded) throw readBefore(say('error_body_read_unset'));
  return form.parse(await readBytes(req, form));
}

/**
 * As `readJson`, for a request of the Fetch standard.
 * @throws {GatehouseError} unsupported_media_type, body_too_large, bad_json
 */
export const readFetchJson = (request: Request, headers: IncomingHttpHeaders): Promise<unknown> =>
  readFetch(request, headers, json);

/** As `readFetchJson`, for the fields of a form. */
export const readFetchForm = (
  request: Request,
  headers: IncomingHttpHeaders,
): Promise<Record<string, unknown>> => readFetch(request, headers, urlencoded);

async function readFetch<T>(request: Request, headers: IncomingHttpHeaders, form: Form<T>): Promise<T> {
  if (request.bodyUsed) throw readBefore(say('error_body_read'));
  // Some runtimes hand over an empty stream with a request that has no body.
  if (request.body === null || headers['content-length'] === '0') return form.parse(nothing);
  const body = Readable.fromWeb(request.body as ReadableStream<Uint8Array>);
  return form.parse(await readBytes(Object.assign(body, { headers }), form));
}

const nothing = Buffer.alloc(0);

const readBefore = (detail: Said) => new GatehouseError('bad_json', { detail });

/**
 * RFC 9112 §6: a request has a body if and only if its headers say so. With chunked encoding, it may still have no bytes; so
 * may every request of HTTP/2, where no header has to tell (RFC 9113 §8.1).
 */
function hasBody({ headers, httpVersionMajor }: Pick<HostRequest, 'headers' | 'httpVersionMajor'>): boolean {
  const length = headers['content-length'];
  if (length !== undefined) return length !== '0' || headers['transfer-encoding'] !== undefined;
  return headers['transfer-encoding'] !== undefined || httpVersionMajor > 1;
}

/** Returns whether a body has the required form, in UTF-8, and is not compressed. */
function isAccepted(req: Pick<Body, 'headers'>, form: Form<unknown>): boolean {
  const { isForm, isUtf8, isPlain } = declared(req, form);
  return isForm && isUtf8 && isPlain;
}

/** Returns what the headers of a request say about its body. */
function declared(req: Pick<Body, 'headers'>, form: Form<unknown>) {
  const { 'content-type': sent = '', 'content-encoding': encoding = 'identity' } = req.headers;
  const isPlain = encoding === 'identity';
  // Nearly all clients send this.
  if (sent === 'application/json') return { isForm: form.isDeclared(sent), isUtf8: true, isPlain };
  const [type = '', ...parameters] = sent
    .toLowerCase()
    .split(';')
    .map(part => part.trim());
  return {
    isForm: form.isDeclared(type),
    isUtf8: parameters.every(p => !p.startsWith('charset=') || /^charset="?utf-?8"?$/.test(p)),
    isPlain,
  };
}

/** Reads the body. Without a declared length, its type is checked only if it has any bytes. */
async function readBytes(req: Body, form: Form<unknown>): Promise<Buffer> {
  const length = req.headers['content-length'];
  if (length !== undefined && !isAccepted(req, form)) throw refuse(req, 0, undeclared(form));
  let bytes = await arrivedBody(req, Number(length));
  try {
    bytes ??= await getRawBody(req, { length, limit: bodyLimit });
  } catch (failure) {
    const { type, received = 0 } = failure as RawBodyError;
    if (type !== 'entity.too.large')
      throw new GatehouseError('bad_json', { detail: say('error_body_incomplete') });
    const error = isAccepted(req, form) ? new GatehouseError('body_too_large') : undeclared(form);
    throw refuse(req, received, error);
  }
  if (bytes.length > 0 && !isAccepted(req, form)) throw undeclared(form);
  return bytes;
}

/**
 * Returns the body if all of it came with the headers, as that of most requests does, otherwise null. It is not the stream's
 * listeners that wait for it: they would cost a tenth of a session check by GraphQL.
 */
async function arrivedBody(req: Body, length: number): Promise<Buffer | null> {
  // The rest of a packet is handed over before the next microtask.
  await undefined;
  const isHere = req.readableFlowing === null && req.readableLength === length && length <= bodyLimit;
  return isHere ? req.read() : null;
}

/** Reads on up to a limit, so that the client can receive the response. */
function refuse(req: Body, alreadyRead: number, error: GatehouseError): GatehouseError {
  let left = discardLimit - alreadyRead;
  // A client that leaves meanwhile: the rest is not awaited, and an error without a listener would end the process.
  req.on('error', () => {});
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) req.destroy();
  });
  req.resume();
  return error;
}

/**
 * Returns the size in bytes of a body that a parser of the host application has read: its limit may be higher than ours.
 */
function sizeOf(req: HostRequest): number {
  const { body, headers } = req;
  if (Buffer.isBuffer(body)) return body.length;
  if (typeof body === 'string') return Buffer.byteLength(body);
  const length = Number(headers['content-length']);
  // For a chunked or compressed body, the declared length is not the size of the content.
  const isTold = Number.isInteger(length) && declared(req, json).isPlain;
  if (isTold) return length;
  try {
    return Buffer.byteLength(JSON.stringify(body) ?? '');
  } catch {
    // Nested deeper than the stack allows.
    return Number.POSITIVE_INFINITY;
  }
}

function parsedByHost<T>(body: unknown, form: Form<T>): T {
  if (Buffer.isBuffer(body)) return form.parse(body);
  return typeof body === 'string' ? form.parse(Buffer.from(body)) : (body as T);
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

/** Returns the values of each name, in time that grows with their number and not with its square. */
export function valuesByName(fields: URLSearchParams): Map<string, string[]> {
  const pairs = Map.groupBy(fields, ([name]) => name);
  return new Map([...pairs].map(([name, of]) => [name, of.map(([, value]) => value)]));
}

/** Without a prototype, so that `__proto__` is a name like any other. */
function parseUrlencoded(bytes: Buffer): Record<string, unknown> {
  const record: Record<string, unknown> = Object.create(null);
  for (const [name, values] of valuesByName(new URLSearchParams(bytes.toString())))
    record[name] = values.length > 1 ? values : values[0];
  return record;
}
