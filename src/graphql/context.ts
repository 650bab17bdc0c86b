import type { Caller } from '../domain/caller.ts';

/** What a resolver knows about its request. */
export interface GraphQLContext {
  /** With the id under which the log has the events of the request. */
  caller: Caller & { readonly requestId: string };
}
