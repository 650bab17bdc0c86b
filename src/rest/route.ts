import type { IncomingMessage } from 'node:http';
import type { Operation } from '../services/operation.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** One method of one path: which operation it calls, and which status its success has. */
export interface Route {
  method: Method;
  /** Relative to `api_prefix`, in the syntax of the router: `/admin/users/:id`. */
  path: string;
  operation: Operation;
  status: number;
  /** Whether its input may stand in the query of a request that has a body, too. */
  orQuery: boolean;
}

export function route(
  method: Method,
  path: string,
  operation: Operation,
  { status = 200, orQuery = false }: Partial<Pick<Route, 'status' | 'orQuery'>> = {},
): Route {
  return { method, path, operation, status, orQuery };
}

/** The names in a path: `id` of `/admin/users/:id`. */
export const parametersOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(match => match[1]!);

/** A request as any host hands it over: Express adds the fields that Node does not have. */
export type HostRequest = IncomingMessage & {
  params?: Record<string, string>;
  /** The client's address as the host's own proxy settings tell it. */
  ip?: string;
  /** The host's id of this request, for its log. */
  id?: unknown;
  /** The pattern of the route that serves this request, for the log: never its values. */
  routePattern?: string;
  /** What a body parser of the host left. */
  body?: unknown;
};

/** The query of a request with its `?`, or nothing. What stands before it need not be an address that can be parsed. */
export const queryOf = ({ url = '' }: HostRequest): string => /\?[^#]*/.exec(url)?.[0] ?? '';
