import type { Operation } from '../domain/operation.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** One method of one path: which operation it calls, and the status of its success. */
export interface Route {
  method: Method;
  /** Relative to `api_prefix`, in the syntax of the router: `/admin/users/:id`. */
  path: string;
  operation: Operation;
  /** Unique in the OpenAPI document: the name of the operation, unless it has several routes. */
  operationId: string;
  status: number;
  /** Whether its input may also be in the query of a request that has a body. */
  orQuery: boolean;
  /** Whether its body is a form, which a browser posts from another site, instead of JSON. */
  isForm: boolean;
  /** Where a browser is redirected when a dependency is down, instead of a problem document that a person cannot use. */
  unavailablePage: string | null;
}

export function route(
  method: Method,
  path: string,
  operation: Operation,
  {
    operationId = operation.spec.name,
    status = 200,
    orQuery = false,
    isForm = false,
    unavailablePage = null,
  }: Partial<Pick<Route, 'operationId' | 'status' | 'orQuery' | 'isForm' | 'unavailablePage'>> = {},
): Route {
  return { method, path, operation, operationId, status, orQuery, isForm, unavailablePage };
}

/** Returns whether a response is a redirect. After a POST it is 303: the browser goes on with a GET (RFC 9110 §15.4.4). */
export const isRedirect = (status: number): status is 302 | 303 => status === 302 || status === 303;

/** Returns the names in a path: `id` of `/admin/users/:id`. */
export const parametersOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(match => match[1]!);
