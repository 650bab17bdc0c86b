import type { IncomingMessage } from 'node:http';
import type { Operation } from '../services/operation.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What a request says, taken apart and otherwise untouched. */
export interface RequestParts {
  body: unknown;
  params: Record<string, string>;
  query: Record<string, unknown>;
}

/** One method of one path: which operation it calls, with what, and which status its success has. */
export interface Route {
  method: Method;
  /** Relative to `api_prefix`, in the syntax of the router: `/admin/users/:id`. */
  path: string;
  operation: Operation;
  status: (result: unknown) => number;
  /** Which part of the request is the operation's input. */
  input: (parts: RequestParts) => unknown;
}

interface RouteOptions<R> {
  status?: number | ((result: R) => number);
  input?: Route['input'];
}

/** A route whose input is the body (nothing, for GET) and whose success is 200, unless said otherwise. */
export function route<R>(
  method: Method,
  path: string,
  operation: Operation<R>,
  { status = 200, input = method === 'GET' ? nothing : bodyOf }: RouteOptions<R> = {},
): Route {
  return {
    method,
    path,
    operation,
    status: typeof status === 'number' ? () => status : (status as Route['status']),
    input,
  };
}

/** A request as any host hands it over: Express adds the fields that Node does not have. */
export type HostRequest = IncomingMessage & {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  /** The client's address as the host's own proxy settings tell it. */
  ip?: string;
  /** The host's id of this request, for its log. */
  id?: unknown;
  /** The pattern of the route that serves this request, for the log: never its values. */
  routePattern?: string;
  /** What a body parser of the host left. */
  body?: unknown;
};

const nothing: Route['input'] = () => ({});
const bodyOf: Route['input'] = parts => parts.body;
