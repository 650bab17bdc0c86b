import type { Caller } from '../domain/caller.ts';

/** What a resolver knows about its request. */
export interface GraphQLContext {
  caller: Caller;
  /** The id under which the log has the events of this request. */
  requestId: string;
}
