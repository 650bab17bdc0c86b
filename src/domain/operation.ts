import type { ZodType } from 'zod';
import type { RouteLimit } from '../config/schema/limits.ts';
import { parse } from '../contract/inputs/parse.ts';
import { type ErrorCode, GatehouseError } from '../errors.ts';
import type { By } from '../events.ts';
import type { RateLimits } from '../limits/rate-limit.ts';
import type { Trail, Watch } from '../observability/watch.ts';
import { english, type Words } from '../words/words.ts';
import type { Authentication } from './authentication.ts';
import { type Caller, hostCaller, operatorCaller } from './caller.ts';
import type { LifeCycle } from './life-cycle.ts';
import type { Person, Session } from './session.ts';
import type { SessionRules } from './session-rules.ts';

/** The demands of an operation on its caller, beyond being of its kind. */
interface EveryDemand {
  /**
   * True where a session counts that is sent, though none is needed (CONTRACT §2.2). Every other operation that anyone may
   * call ignores the Authorization header.
   */
  takesSession?: boolean;
  /**
   * True for changes to the ways of signing in: the sign-in must be recent and complete (CONTRACT §9.5, the operations
   * marked †).
   */
  isSensitive?: boolean;
  /**
   * True where an account may call it that must have a second factor and has none yet (`mfa_required`): everything that
   * it takes to set one up.
   */
  isOpenBeforeEnrolment?: true;
  /**
   * True for acts that a thief of a session must not do, while `recent_sign_in_for_administration` is on: the sign-in
   * must be complete and not older than `administration_sign_in_seconds` (CONTRACT §9.5).
   */
  isAdministration?: boolean;
  /** True for acts that are as sensitive on the caller's own account as those of its owner. */
  isSensitiveForSelf?: boolean;
  /** The scope that a key needs; a session has every one. */
  scope?: string;
}

/** The demands that each kind of access knows. */
interface Demands {
  anyone: Pick<EveryDemand, 'takesSession'>;
  session: Pick<EveryDemand, 'isSensitive' | 'isOpenBeforeEnrolment'>;
  /** A session, or a key of a feature (`keys`) in its place. */
  person: Pick<EveryDemand, 'isOpenBeforeEnrolment' | 'scope'>;
  superuser: Pick<EveryDemand, 'isAdministration' | 'isSensitiveForSelf'>;
}

export type AccessKind = keyof Demands;

/** Who may call an operation, and what of them is demanded. */
export type Access<K extends AccessKind = AccessKind> = { kind: K } & Demands[K];

/** Returns the demands of an operation; those of another kind are undefined. */
export const demandsOf = (spec: { access: { kind: AccessKind } & EveryDemand }): EveryDemand => spec.access;

/** Returns whether an operation may ask for a recent sign-in. */
export const asksRecentSignIn = ({
  isSensitive,
  isAdministration,
  isSensitiveForSelf,
}: EveryDemand): boolean => Boolean(isSensitive || isAdministration || isSensitiveForSelf);

/** One method of one path of the REST interface, relative to `api_prefix`: `DELETE /sessions/{id}`. */
export type At = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

/** A route of an operation, where its path alone does not say everything. */
export interface RouteSpec {
  at: At;
  /** Unique in the OpenAPI document: the name of the operation, unless it has several routes. */
  operationId?: string;
  /** The status of its success, unless it is that of the operation. */
  status?: number;
  /** Whether its input may also be in the query of a request that has a body. */
  orQuery?: boolean;
  /** Whether its body is a form, which a browser posts from another site, instead of JSON. */
  isForm?: boolean;
  /** Whether it is an endpoint of OAuth 2: what it refuses is answered in the form of RFC 6749 §5.2. */
  isProtocol?: boolean;
  /** Whether an API of `[resources]` calls it, by its name and secret. */
  isForResources?: boolean;
  /** Whether its success has no body. */
  isEmpty?: boolean;
  /**
   * Returns where a browser is redirected after this error, instead of a problem document that a person cannot use; null
   * where the problem document is the response.
   */
  pageAfter?: (error: GatehouseError) => string | null;
}

/**
 * The definition of an operation, without its work. The interfaces and the documents (OpenAPI, GraphQL schema) read it;
 * `define` enforces it.
 */
export interface OperationSpec<I = unknown, R = unknown, K extends AccessKind = AccessKind> {
  /** Unique; the name in the GraphQL schema: `resendVerification`. */
  name: string;
  /**
   * Where REST has it: absent for an operation of the command line and the server API. In GraphQL one that is read by `GET`
   * is a query, a connection where it returns pages; every other one is a mutation.
   */
  at?: At | RouteSpec | readonly (At | RouteSpec)[];
  /** The status of its success in REST; 200 unless it says otherwise. */
  status?: number;
  /** True where only a browser that is redirected calls it: GraphQL does not have it. */
  isRestOnly?: true;
  /** Its act in one sentence, for the OpenAPI document and the GraphQL schema. */
  summary: string;
  /** Further facts for clients. */
  description?: string;
  access: Access<K>;
  /** The schema of its input, with the field names of the REST interface. */
  input: ZodType<I>;
  /** The schema of its output. */
  output: ZodType<R>;
  /** The members of an item that a cursor of a page is made of; its id when absent. */
  cursor?: readonly string[];
  /** The `*_rate_limit` that applies to it, if any. */
  limit?: RouteLimit;
  /**
   * False where its calls are not relevant to security; `'people'` where only those of people are: what administrators and
   * operators look at is audited, what the host's program reads is not; `'refusals'` where only what was refused is;
   * `'looks'` where only calls are that look at accounts of others, of which the work sets `trail.count`. Every other
   * operation is audited.
   */
  audited?: false | 'people' | 'refusals' | 'looks';
  /** Its own error codes, in addition to those of every operation with the same access. */
  errors: ErrorCode[];
}

/** Returns the routes of an operation; one of the command line and the server API has none. */
export const routeSpecsOf = ({ at = [], status = 200 }: OperationSpec): (RouteSpec & { status: number })[] =>
  [at].flat().map(route => ({ status, ...(typeof route === 'string' ? { at: route } : route) }));

/** The parts that the work of an operation is given beside its input. */
export interface Context<K extends AccessKind> {
  caller: Caller;
  /** The caller's verified session; undefined where anyone may call, on the command line and in the server API. */
  session: K extends 'session' ? Session : K extends 'superuser' ? Session | undefined : undefined;
  /** Who calls by a session or a key, where the operation takes both. */
  person: K extends 'person' ? Person : undefined;
  /** Returns the caller's session where the operation `takesSession`, else null, as without a valid token. Reads only then. */
  findSession: () => Promise<Session | null>;
  /** The role in which the caller acts. */
  by: By;
  /** Returns a message in the language of the answer. */
  t: Words['t'];
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

interface DefineParts {
  /** Finds the holders of keys, once the features are open. */
  lifeCycle: Pick<LifeCycle, 'keys'>;
  /** Does work of a request that came at this moment; see `Slowness.bounded`. */
  bounded: (<T>(cameAt: number, work: () => Promise<T>) => Promise<T>) | undefined;
  /** Awaited before an operation responds, in the tests of a host: whatever it has begun has ended. */
  settle?: (() => Promise<void>) | undefined;
}

export type Define = ReturnType<typeof createDefine>;

/**
 * Returns the function with which services define their operations: rate limit, access, input, and then the work.
 */
export function createDefine(
  authentication: Pick<Authentication, 'sessionOf'>,
  rules: SessionRules,
  limits: RateLimits,
  watch: Watch,
  { lifeCycle, bounded, settle }: DefineParts,
) {
  return function define<I, R, K extends AccessKind>(
    spec: OperationSpec<I, R, K>,
    work: (input: I, context: Context<K>) => Promise<R>,
  ): Operation<R> {
    const { name: operation, audited = true } = spec;
    const kind: AccessKind = spec.access.kind;
    const demands = demandsOf(spec);

    function byCaller(caller: Caller): By {
      if (caller === operatorCaller) return 'cli';
      if (caller === hostCaller) return 'host';
      return kind === 'superuser' ? 'admin' : 'self';
    }

    /** @throws {GatehouseError} unauthenticated, insufficient_scope, mfa_enrolment_required */
    async function holderOf(caller: Caller, trail: Trail): Promise<Person | null> {
      const holder = await lifeCycle.keys?.holderOf(caller);
      if (!holder) return null;
      if (caller.reply) caller.reply.locale = holder.user.locale;
      trail.actor = holder.user.id;
      trail.subject = trail.actor;
      if (rules.requiresEnrolment) await rules.assertUnrestricted(holder.user);
      if (demands.scope !== undefined && !holder.key.scopes.includes(demands.scope))
        throw new GatehouseError('insufficient_scope', { scopes: [demands.scope] });
      return holder;
    }

    async function check(caller: Caller, by: By, trail: Trail): Promise<Person | undefined> {
      if (spec.limit) await limits.consume(spec.limit, caller.ip);
      const isTrusted = kind === 'superuser' && (by === 'cli' || by === 'host');
      if (kind === 'anyone' || isTrusted) return undefined;
      const holder = kind === 'person' && lifeCycle.keys ? await holderOf(caller, trail) : null;
      if (holder) return holder;
      const session = await authentication.sessionOf(caller);
      if (caller.reply) caller.reply.locale = session.user.locale;
      trail.actor = session.user.id;
      if (kind === 'superuser' && !session.user.isSuperuser) throw new GatehouseError('forbidden');
      if (kind !== 'superuser') trail.subject = trail.actor;
      if (rules.requiresEnrolment && !demands.isOpenBeforeEnrolment) await rules.assertEnrolled(session);
      if (demands.isSensitive) await rules.assertSensitive(session);
      if (demands.isAdministration) await rules.assertAdministration(session);
      return session;
    }

    /** @throws {GatehouseError} unavailable */
    async function findSession(caller: Caller): Promise<Session | null> {
      if (!demands.takesSession || caller.bearer === undefined) return null;
      try {
        return await authentication.sessionOf(caller);
      } catch (error) {
        if (error instanceof GatehouseError && error.code === 'unauthenticated') return null;
        throw error;
      }
    }

    async function perform(
      caller: Caller,
      person: Person | undefined,
      raw: unknown,
      by: By,
      trail: Trail,
    ): Promise<R> {
      const input = parse(spec.input, raw);
      trail.email = emailOf(input);
      const session = person?.key ? undefined : person;
      const isOwn = session && (input as { id?: unknown } | null)?.id === session.user.id;
      if (demands.isSensitiveForSelf && isOwn) await rules.assertSensitive(session);
      return work(input, {
        caller,
        session,
        person,
        by,
        trail,
        findSession: () => findSession(caller),
        t: (id, ...values) => (caller.reply?.speak?.() ?? english).t(id, ...values),
      } as Context<K>);
    }

    function open(caller: Caller): OpenCall<R> {
      const by = byCaller(caller);
      const isAudited = audited === 'people' ? by !== 'host' : audited !== false;
      const { ip, requestId = null, userAgent } = isAudited ? caller : nobody;
      const { trail, step, finish } = watch({
        ...{ operation, by, isAudited, ip, requestId, userAgent },
        only: audited === 'refusals' || audited === 'looks' ? audited : undefined,
      });
      let admission: Promise<Person | undefined> | undefined;
      const admit = () => (admission ??= step(() => check(caller, by, trail)));
      // A command and the host's program wait as long as it takes.
      const within = <T>(work: () => Promise<T>): Promise<T> =>
        caller.cameAt === undefined || !bounded ? work() : bounded(caller.cameAt, work);
      return {
        admit: async () => void (await within(admit)),
        run(raw) {
          const proceed = async (person: Person | undefined) => perform(caller, person, raw, by, trail);
          // A refusal ends the call once: in the step that admits, or here.
          const result = within(() =>
            admission
              ? admission.then(person => finish(() => proceed(person)))
              : finish(async () => proceed(await check(caller, by, trail))),
          );
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
