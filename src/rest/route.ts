import { type At, type Operation, type RouteSpec, routeSpecsOf } from '../domain/operation.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** One method of one path: which operation it calls, and the status of its success. */
export interface Route extends Required<Omit<RouteSpec, 'at'>> {
  method: Method;
  /** Relative to `api_prefix`, in the syntax of the router: `/admin/users/:id`. */
  path: string;
  operation: Operation;
}

/** Returns every route of these operations; the router mounts them, and the OpenAPI document lists them. */
export const routesOf = (operations: readonly Operation[]): Route[] => operations.flatMap(routesOfOne);

const routesOfOne = (operation: Operation): Route[] =>
  routeSpecsOf(operation.spec).map(({ at, ...given }) => ({
    ...partsOf(at),
    operation,
    operationId: operation.spec.name,
    orQuery: false,
    isForm: false,
    isProtocol: false,
    isForResources: false,
    isEmpty: false,
    pageAfter: () => null,
    ...given,
  }));

function partsOf(at: At): Pick<Route, 'method' | 'path'> {
  const [method, path] = at.split(' ') as [Method, string];
  return { method, path: path.replace(/\{(\w+)\}/g, ':$1') };
}

/** Returns whether a response is a redirect. After a POST it is 303: the browser goes on with a GET (RFC 9110 §15.4.4). */
export const isRedirect = (status: number): status is 302 | 303 => status === 302 || status === 303;

/** Returns the names in a path: `id` of `/admin/users/:id`. */
export const parametersOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(match => match[1]!);
