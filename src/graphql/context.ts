import type { Caller } from '../domain/caller.ts';

/** The request, as a resolver knows it. */
export interface GraphQLContext {
  /** With the id under which the log has the events of the request. */
  caller: Caller & { readonly requestId: string };
}
