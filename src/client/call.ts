import { toBase64url } from './base64url.ts';
import { type ErrorCode, type FieldError, GatehouseError } from './error.ts';
import { camelCase, toResult } from './names.ts';
import { isRead, type Operation } from './operation.ts';
import { documentOf, type Request, restRequest } from './requests.ts';
import type { Json, Page } from './types.ts';

/** Where an API is, and which of its interfaces is used. */
export interface Api {
  url: string;
  isRest: boolean;
  /** The fields of users in GraphQL beside those that every user has. */
  own: string;
  /** The language of what it says to people. */
  locale: string | undefined;
  /** Where GraphQL documents are named by their hashes: returns the hash. */
  sha256: Sha256 | undefined;
}

/** The operations that only set a cookie, and have no content in REST. */
export const isOfCookie = /BrowserSession$/;

/** Returns the SHA-256 of a text in hex. */
export type Sha256 = (text: string) => string | Promise<string>;

// biome-ignore lint/suspicious/noExplicitAny: the JSON of a response, which may come from anybody
type Answer = any;

/** Returns the request of an operation in GraphQL. */
async function graphqlRequest({ own, sha256 }: Api, operation: Operation, input: Json): Promise<Request> {
  const [query, variables] = documentOf(operation, input, own);
  const document = sha256 ? { documentId: await sha256(query) } : { query };
  return ['/graphql', 'POST', { ...document, variables }];
}

/**
 * Calls an operation and returns its result, the same through both interfaces.
 * @throws {GatehouseError}; the reason of the signal when that has aborted the request
 */
export async function call(
  api: Api,
  operation: Operation,
  input: Json,
  token: string | null,
  signal?: AbortSignal,
  // The API reads no cookie. Only these operations set one.
  credentials: RequestCredentials = isOfCookie.test(operation[0]) || operation[0] === 'logout'
    ? 'same-origin'
    : 'omit',
): Promise<unknown> {
  const [name, letter, , rest] = operation;
  const { url, isRest } = api;
  const [path, method, body] = isRest
    ? restRequest(operation, input)
    : await graphqlRequest(api, operation, input);
  // The API answers this one with a redirect, which is for the browser to follow.
  if (isRest && letter === 'r') return { authorizationUrl: url + path };
  let response: Response;
  let answer: Answer;
  try {
    response = await fetch(url + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(api.locale && { 'Accept-Language': api.locale }),
      },
      body: body && JSON.stringify(body),
      signal,
      credentials,
      // A page that is left meanwhile must not keep its session.
      keepalive: name === 'logout',
      // The address of the page may hold the token of an emailed link.
      referrerPolicy: 'no-referrer',
    });
    answer = response.status === 204 ? undefined : await response.json().catch(nothingIfMalformed);
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new GatehouseError('network', 'The server cannot be reached.', {}, cause);
  }
  const isDone = isRest ? response.ok && (answer || response.status === 204) : answer?.data && !answer.errors;
  if (!isDone) throw errorOf(response, answer);
  if (isOfCookie.test(name)) return undefined;
  const data = isRest ? answer : answer.data[name];
  // A list that REST wraps is the list itself in GraphQL.
  const result = toResult(Array.isArray(data) ? { items: data } : data);
  return rest && isRead(operation) ? toPage(result as Listed, rest) : result;
}

/** A body that breaks off is a failure of the network, one that is no JSON is not. Safari's error is no `SyntaxError`, but named so. */
function nothingIfMalformed(error: unknown): void {
  if ((error as Error).name !== 'SyntaxError') throw error;
}

/** Returns the error of a response that refuses, also of one that a proxy or another server has sent. */
function errorOf({ status, headers }: Response, answer: Answer): GatehouseError {
  // Another server may say what it likes.
  const errors: Answer[] = Array.isArray(answer?.errors) ? answer.errors : [];
  const [failure] = errors;
  // A feature that is off has no field in GraphQL (`Cannot query field …`), and no path in REST, where the host answers.
  const isAbsent = errors.some(error => /^Cannot query/.test(error?.message));
  const problem: Answer = isAbsent ? { status: 404 } : (failure?.extensions ?? toResult(answer) ?? {});
  const shown: number = problem.status ?? status;
  const code: ErrorCode | undefined = problem.code ?? foreignCodes[shown];
  return new GatehouseError(
    code ?? (shown < 500 ? 'unexpected_response' : 'unavailable'),
    problem.detail ?? failure?.message ?? `The server answered with ${status}.`,
    {
      ...problem,
      status: shown,
      retryAfter: problem.retryAfter ?? (Number(headers.get('Retry-After')) || undefined),
      errors: problem.code && Array.isArray(problem.errors) ? problem.errors.map(fieldError) : [],
    },
  );
}

const fieldError = ({ path, ...error }: FieldError): FieldError => ({
  ...error,
  // `limit` of REST is `first` in GraphQL.
  path: path === 'first' ? 'limit' : camelCase(path),
});

const foreignCodes: Partial<Record<number, ErrorCode>> = { 404: 'not_found', 429: 'rate_limited' };

/** A list of REST or GraphQL. */
interface Listed extends Page<Json> {
  pageInfo?: Pick<Page<Json>, 'hasMore' | 'nextCursor'>;
  total?: number;
  isCapped?: boolean | null;
}

/** Returns a page without what only one interface has. */
function toPage({ items, total, isCapped, pageInfo, ...rest }: Listed, cursor: string): Listed {
  const key = () => cursor.replace(/\w+/g, field => String(items.at(-1)?.[field]));
  const { hasMore, nextCursor = cursorOf(key()) } = pageInfo ?? rest;
  const page = { items, total, hasMore, nextCursor: hasMore ? nextCursor : null };
  return isCapped == null ? page : { ...page, isCapped };
}

/** Returns the cursor of an item from its key: base64url. */
const cursorOf = (key: string): string => toBase64url(new TextEncoder().encode(key));
