import type { ZodType } from 'zod';
import { parse } from '../contract/inputs/parse.ts';
import { type ErrorCode, GatehouseError } from '../errors.ts';
import type { By } from '../events.ts';
import type { RateLimits, RouteLimit } from '../limits/rate-limit.ts';
import type { Trail, Watch } from '../observability/watch.ts';
import type { Authentication } from './authentication.ts';
import { type Caller, hostCaller, operatorCaller } from './caller.ts';
import type { Session } from './session.ts';
import type { SessionRules } from './session-rules.ts';

/** Who may call an operation. */
export type Access = 'anyone' | 'session' | 'superuser';

/**
 * The definition of an operation, without its work. The interfaces and the documents (OpenAPI, GraphQL schema) read it;
 * `define` enforces it.
 */
export interface OperationSpec<I = unknown, R = unknown, A extends Access = Access> {
  /** Unique; the name in the GraphQL schema: `resendVerification`. */
  name: string;
  /** What it does, in one sentence, for the OpenAPI document and the GraphQL schema. */
  summary: string;
  /** What else a client should know. */
  description?: string;
  access: A;
  /** The schema of its input, with the field names of the REST interface. */
  input: ZodType<I>;
  /** The schema of its output. */
  output: ZodType<R>;
  /** The `*_rate_limit` that applies to it, if any. */
  limit?: RouteLimit;
  /**
   * False where its calls are not relevant to security; `'people'` where only those of people are: what administrators and
   * operators look at is audited, what the host's program reads is not. Every other operation is audited.
   */
  audited?: false | 'people';
  /**
   * True for changes to the ways of signing in: the sign-in must be recent and complete (CONTRACT §9.5, the operations
   * marked †).
   */
  isSensitive?: boolean;
  /**
   * True where an account may call it that must have a second factor and has none yet (`mfa_required`): everything that it
   * takes to set one up.
   */
  isOpenBeforeEnrolment?: true;
  /** Its own error codes, in addition to those of every operation with the same access. */
  errors: ErrorCode[];
}

interface Context<A extends Access> {
  caller: Caller;
  /** The caller's verified session; undefined where anyone may call, on the command line and in the server API. */
  session: A extends 'session' ? Session : A extends 'superuser' ? Session | undefined : undefined;
  /** The role in which the caller acts. */
  by: By;
  /** Further data for the audit record: whom the call concerned, why it was refused. */
  trail: Trail;
}

/** One call of an operation, in two steps. */
export interface OpenCall<R = unknown> {
  /**
   * Checks rate limit, session and role, once per call however often it is invoked. A refusal is recorded as the end of
   * the call.
   * @throws {GatehouseError} rate_limited, unauthenticated, forbidden, mfa_enrolment_required, recent_sign_in_required
   */
  admit(): Promise<void>;
  /** Parses the input and does the work, for a caller who is admitted. */
  run(raw?: unknown): Promise<R>;
}

/** A capability of the service. Every interface calls it with the input as received, unparsed. */
export interface Operation<R = unknown> {
  (caller: Caller, raw?: unknown): Promise<R>;
  /** Opens a call, for an interface that has the caller admitted before it continues. */
  open(caller: Caller): OpenCall<R>;
  readonly spec: OperationSpec;
}

export type Define = ReturnType<typeof createDefine>;

/**
 * Returns the function with which services define their operations: rate limit, access, input, and then the work.
 * @param settle awaited before an operation responds, in the tests of a host: whatever it has begun has ended
 */
export function createDefine(
  authentication: Pick<Authentication, 'sessionOf'>,
  rules: SessionRules,
  limits: RateLimits,
  watch: Watch,
  settle?: () => Promise<void>,
) {
  return function define<I, R, A extends Access>(
    spec: OperationSpec<I, R, A>,
    work: (input: I, context: Context<A>) => Promise<R>,
  ): Operation<R> {
    const { name: operation, access, audited = true } = spec;

    function byCaller(caller: Caller): By {
      if (caller === operatorCaller) return 'cli';
      if (caller === hostCaller) return 'host';
      return access === 'superuser' ? 'admin' : 'self';
    }

    async function check(caller: Caller, by: By, trail: Trail): Promise<Session | undefined> {
      if (spec.limit) await limits.consume(spec.limit, caller.ip);
      const isTrusted = access === 'superuser' && (by === 'cli' || by === 'host');
      // Where anyone may call, the Authorization header is ignored.
      if (access === 'anyone' || isTrusted) return undefined;
      const session = await authentication.sessionOf(caller);
      trail.actor = session.user.id;
      if (access === 'superuser' && !session.user.isSuperuser) throw new GatehouseError('forbidden');
      if (access === 'session') trail.subject = trail.actor;
      if (rules.requiresEnrolment && !spec.isOpenBeforeEnrolment) await rules.assertEnrolled(session);
      if (spec.isSensitive) await rules.assertSensitive(session);
      return session;
    }

    function perform(
      caller: Caller,
      session: Session | undefined,
      raw: unknown,
      by: By,
      trail: Trail,
    ): Promise<R> {
      const input = parse(spec.input, raw);
      trail.email = emailOf(input);
      return work(input, { caller, session, by, trail } as Context<A>);
    }

    function open(caller: Caller): OpenCall<R> {
      const by = byCaller(caller);
      const isAudited = audited === 'people' ? by !== 'host' : audited;
      const { ip, requestId = null, userAgent } = isAudited ? caller : nobody;
      const { trail, step, finish } = watch({ operation, by, isAudited, ip, requestId, userAgent });
      let admission: Promise<Session | undefined> | undefined;
      const admit = () => (admission ??= step(() => check(caller, by, trail)));
      return {
        admit: async () => void (await admit()),
        run(raw) {
          const proceed = async (session: Session | undefined) => perform(caller, session, raw, by, trail);
          // A refusal ends the call once: in the step that admits, or here.
          const result = admission
            ? admission.then(session => finish(() => proceed(session)))
            : finish(async () => proceed(await check(caller, by, trail)));
          return settle ? result.finally(settle) : result;
        },
      };
    }

    return Object.assign((caller: Caller, raw?: unknown) => open(caller).run(raw), { open, spec });
  };
}

/** The caller of an operation that nothing records. */
const nobody: Pick<Caller, 'ip' | 'requestId' | 'userAgent'> = { ip: null };

/** Returns the email address in the input of an operation, or null. */
function emailOf(input: unknown): string | null {
  const { email } = (input ?? {}) as { email?: unknown };
  return typeof email === 'string' ? email : null;
}
