import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeUser } from '../contract/views/account.ts';
import type { Claims } from '../crypto/claims.ts';

/** The signed-in user, as `GET /me` returns it with names in camelCase, and the claims of the session token, named as in it. */
export interface Auth {
  user: NodeUser;
  claims: Claims;
  /**
   * With `browser: true`: the token for forms and scripts of the host's own pages, as the field `_csrf` or the header
   * `X-CSRF-Token`, which a guard with `csrf: true` asks for. It changes with the session.
   */
  csrfToken?: string;
}

/** Who sent a request of the Fetch standard, or the response that refuses it. */
export type AuthOrResponse<A> =
  | {
      auth: A;
      response: null;
      /** Belong to the response of the host. */
      headers: Record<string, string>;
    }
  | { auth: null; response: Response; headers: Record<string, string> };

/** Marks the requests that a guard has let through; types only. */
declare const guarded: unique symbol;

/** The query of a URL as Express types it. */
interface Query {
  [name: string]: undefined | string | Query | (string | Query)[];
}

type Next = (error?: unknown) => void;

/**
 * Middleware that puts a session into `req.auth`. Express types the requests of the handlers of one route alike: the mark
 * of the guard in the type of their query is what `req.auth` has its own type from, in those handlers alone.
 */
export interface Guard<A> {
  (req: IncomingMessage, res: ServerResponse, next: Next): void;
  // TypeScript infers from the last of several signatures.
  (req: IncomingMessage & { query: Query & { [guarded]?: A } }, res: ServerResponse, next: Next): void;
}

/** The session that a guard has put into a request of this type; unknown where the type tells of no guard. */
type AuthOf<R> = R extends { query: infer Q }
  ? typeof guarded extends keyof Q
    ? Exclude<Q[typeof guarded], undefined>
    : unknown
  : unknown;

declare global {
  namespace Express {
    interface Request {
      /**
       * Set by `requireSession` and `requireSuperuser`; after `optionalSession` it is null for any other caller. Where the
       * guard is not in the same route, `req as Request & { auth: Auth }` says that there is one.
       */
      auth: AuthOf<this>;
    }
  }
}
