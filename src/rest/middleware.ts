import type { RequestHandler } from 'express';
import type { Claims } from '../crypto/tokens.ts';
import { GatehouseError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Authentication } from '../services/authentication.ts';
import { toUserPublic, type UserPublic } from '../services/views.ts';
import { answerProblem } from './answer.ts';
import { callerOf } from './caller.ts';
import type { HostRequest } from './route.ts';

/** Who is signed in: what `GET /me` answers, and the claims of the session token. */
export interface Auth {
  user: UserPublic;
  claims: Claims;
}

declare global {
  namespace Express {
    interface Request {
      /** Set by `requireSession` and `requireSuperuser`; after `optionalSession` it is null for anyone else. */
      auth: Auth;
    }
  }
}

/** Guards for a host's own routes; they refuse as the API does. */
export function createMiddleware(authentication: Authentication, logger: Logger) {
  async function authOf(req: HostRequest): Promise<Auth> {
    const { user, claims } = await authentication.sessionOf(callerOf(req));
    return { user: toUserPublic(user), claims };
  }

  function guard(check: (req: HostRequest) => Promise<Auth | null>): RequestHandler {
    return async (req, res, next) => {
      const hostRequest = req as unknown as HostRequest;
      try {
        Object.assign(req, { auth: await check(hostRequest) });
      } catch (error) {
        return answerProblem(hostRequest, res, error, logger);
      }
      next();
    };
  }

  /** What makes a guard. Given to a route in its place, it would leave every request waiting. */
  function maker(name: string, check: (req: HostRequest) => Promise<Auth | null>): () => RequestHandler {
    return (...given: unknown[]) => {
      // Request, response and what comes next: a route calls it as if it were the guard.
      if (typeof given[2] === 'function') {
        throw new TypeError(`${name} makes the guard of a route: call it, ${name}().`);
      }
      return guard(check);
    };
  }

  return {
    requireSession: maker('requireSession', authOf),

    requireSuperuser: maker('requireSuperuser', async req => {
      const auth = await authOf(req);
      if (!auth.user.is_superuser) throw new GatehouseError('forbidden');
      return auth;
    }),

    optionalSession: maker('optionalSession', req =>
      authOf(req).catch(error => {
        if (error instanceof GatehouseError && error.kind === 'unauthenticated') return null;
        throw error;
      }),
    ),
  };
}
