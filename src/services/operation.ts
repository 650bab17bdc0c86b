import type { ZodType } from 'zod';
import { type ErrorCode, GatehouseError } from '../errors.ts';
import { parse } from '../inputs/parse.ts';
import type { RateLimits, RouteLimit } from '../limits/rate-limit.ts';
import type { Trail, Watch } from '../observability/watch.ts';
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
  /** False where its calls are no security-relevant acts; every other operation is audited. */
  audited?: false;
  /** The error codes that are its own, beyond those that every operation of its access can give. */
  errors: ErrorCode[];
}

interface Context<A extends Access> {
  caller: Caller;
  /** The caller's session, checked; there is none where anyone may call. */
  session: A extends 'anyone' ? undefined : Session;
  /** What the audit is to know of this call beyond that: whom it concerned, why it was refused. */
  trail: Trail;
}

/** A capability of the service. Every door calls it with what it received, unparsed. */
export interface Operation<R = unknown> {
  (caller: Caller, raw?: unknown): Promise<R>;
  readonly spec: OperationSpec;
}

export type Define = ReturnType<typeof createDefine>;

/** Makes the function with which services define their operations: limit, access, input, and then the work. */
export function createDefine(authentication: Authentication, limits: RateLimits, watch: Watch) {
  return function define<I, R, A extends Access>(
    spec: OperationSpec<I, A>,
    work: (input: I, context: Context<A>) => Promise<R>,
  ): Operation<R> {
    const { name: operation, access, audited: isAudited = true } = spec;
    const by = access === 'superuser' ? 'admin' : 'self';

    async function perform(caller: Caller, raw: unknown, trail: Trail): Promise<R> {
      if (spec.limit) await limits.consume(spec.limit, caller.ip);
      // Where anyone may call, the Authorization header is not even looked at.
      const session = access === 'anyone' ? undefined : await authentication.sessionOf(caller);
      trail.actor = session?.user.id ?? null;
      if (access === 'superuser' && !session?.user.isSuperuser) throw new GatehouseError('forbidden');
      if (access === 'session') trail.subject = trail.actor;
      const input = parse(spec.input, raw);
      trail.email = emailOf(input);
      return work(input, { caller, session, trail } as Context<A>);
    }

    function call(caller: Caller, raw?: unknown): Promise<R> {
      const { ip, requestId = null } = caller;
      return watch({ operation, by, isAudited, ip, requestId }, trail => perform(caller, raw, trail));
    }
    return Object.assign(call, { spec });
  };
}

/** The address that an operation is about, where its input names one. */
function emailOf(input: unknown): string | null {
  const { email } = (input ?? {}) as { email?: unknown };
  return typeof email === 'string' ? email : null;
}
