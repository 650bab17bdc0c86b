import type { ZodType } from 'zod';
import { type ErrorCode, GatehouseError } from '../errors.ts';
import { parse } from '../inputs/parse.ts';
import type { RateLimits, RouteLimit } from '../limits/rate-limit.ts';
import type { Authentication, Caller, Session } from './authentication.ts';

/** Who may call an operation. */
export type Access = 'anyone' | 'session' | 'superuser';

/** What an operation is, beside what it does: the doors and the documents read it, `define` enforces it. */
export interface OperationSpec<I = unknown, A extends Access = Access> {
  /** Unique, in the words of the GraphQL schema: `resendVerification`. */
  name: string;
  access: A;
  /** The schema of its input, with the field names of the REST interface. */
  input: ZodType<I>;
  /** The shape of what it answers. */
  answers: ZodType;
  /** Which `*_rate_limit` it is subject to, if any. */
  limit?: RouteLimit;
  /** The error codes that are its own, beyond those that every operation of its access can give. */
  errors: ErrorCode[];
}

interface Context<A extends Access> {
  caller: Caller;
  /** The caller's session, checked; there is none where anyone may call. */
  session: A extends 'anyone' ? undefined : Session;
}

/** A capability of the service. Every door calls it with what it received, unparsed. */
export interface Operation<R = unknown> {
  (caller: Caller, raw?: unknown): Promise<R>;
  readonly spec: OperationSpec;
}

export type Define = ReturnType<typeof createDefine>;

/** Makes the function with which services define their operations: limit, access, input, and then the work. */
export function createDefine(authentication: Authentication, limits: RateLimits) {
  return function define<I, R, A extends Access>(
    spec: OperationSpec<I, A>,
    work: (input: I, context: Context<A>) => Promise<R>,
  ): Operation<R> {
    async function operation(caller: Caller, raw?: unknown): Promise<R> {
      if (spec.limit) await limits.consume(spec.limit, caller.ip);
      // Where anyone may call, the Authorization header is not even looked at.
      const session = spec.access === 'anyone' ? undefined : await authentication.sessionOf(caller);
      if (spec.access === 'superuser' && !session?.user.isSuperuser) throw new GatehouseError('forbidden');
      const input = parse(spec.input, raw);
      return work(input, { caller, session } as Context<A>);
    }
    return Object.assign(operation, { spec });
  };
}
