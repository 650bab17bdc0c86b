import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ToNodeUser } from '../contract/views/account.ts';
import type { Authentication } from '../domain/authentication.ts';
import type { Session } from '../domain/session.ts';
import type { SessionRules } from '../domain/session-rules.ts';
import { GatehouseError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Languages } from '../words/languages.ts';
import { say } from '../words/said.ts';
import {
  type AccessAuth,
  type AccessParts,
  type AccessProtected,
  type AccessRequirements,
  accessCheck,
} from './access-guard.ts';
import { type BrowserSessions, hasBearer, keepPrivate, privateHeaders } from './browser-session.ts';
import { bearerOf } from './caller.ts';
import { FetchRequest } from './fetch.ts';
import type { Auth, AuthOrResponse, Guard } from './guard.ts';
import type { HttpRequest, HttpResponse } from './message.ts';
import { type ClientAddress, NodeRequest } from './node.ts';
import type { IsTrusted } from './proxies.ts';
import {
  assertNotRoute,
  type Protection,
  readRequirements,
  type requirementsOf,
  type SessionRequirements,
} from './requirements.ts';
import { problemResponse, redirectTo } from './response.ts';
import { sendResponse, toFetchResponse } from './send.ts';

/** Who sent a request of the Fetch standard, or the response that refuses it. */
export type Protected = AuthOrResponse<Auth>;

/** Returns whether an error says that a caller has no session that can be used. */
const isRefusal = (error: unknown): boolean =>
  error instanceof GatehouseError &&
  (error.kind === 'unauthenticated' || error.code === 'mfa_enrolment_required');

const nullIfRefused = (error: unknown): null => {
  if (isRefusal(error)) return null;
  throw error;
};

interface GuardParts extends Pick<AccessParts, 'scopesOf' | 'keys' | 'verifierOf'> {
  authentication: Authentication;
  sessionRules: SessionRules;
  /** Null while `enable_browser_sessions` is off. */
  browserSessions: BrowserSessions | null;
  clientOf: ClientAddress;
  /** Null while no proxy is trusted. */
  isTrusted: IsTrusted | null;
  languages: Languages;
  logger: Logger;
  toNodeUser: ToNodeUser;
  /** The names of the roles that there are. */
  roles: readonly string[];
}

type GuardName = keyof typeof requirementsOf;

/** Returns guards for a host application's own routes; they reject requests as the API does. */
export function createGuards({ authentication, sessionRules: rules, ...parts }: GuardParts) {
  const { browserSessions, clientOf, isTrusted, languages, logger, toNodeUser, roles } = parts;
  const toAuth = ({ user, claims }: Session, { browser }: SessionRequirements = {}): Auth => ({
    ...{ user: toNodeUser(user), claims },
    ...(browser && { csrfToken: browserSessions!.csrf.tokenOf(claims) }),
  });

  async function enrolled(session: Promise<Session>): Promise<Session> {
    const checked = await session;
    if (rules.requiresEnrolment) await rules.assertEnrolled(checked);
    return checked;
  }

  /** Only here does the cookie count, and only for a guard that asks for it: operations never see it. */
  async function sessionOf(request: HttpRequest, { browser }: SessionRequirements): Promise<Session> {
    if (!browser || hasBearer(request.headers))
      return enrolled(authentication.authenticate(bearerOf(request)));
    return enrolled(authentication.authenticateBrowser(browserSessions!.tokenOf(request)));
  }

  /** @throws {GatehouseError} unauthenticated, forbidden, recent_sign_in_required, mfa_enrolment_required */
  async function admit(request: HttpRequest, required: Protection): Promise<Auth> {
    const session = await sessionOf(request, required);
    if (required.csrf) browserSessions!.csrf.assert(request, session.claims);
    if (required.superuser && !session.user.isSuperuser) throw new GatehouseError('forbidden');
    if (required.role !== undefined && !session.user.roles?.includes(required.role))
      throw new GatehouseError('forbidden', { detail: say('error_role', { role: required.role }) });
    if (required.recentSeconds !== undefined) rules.assertRecent(session, required.recentSeconds);
    if (required.mfa) await rules.assertTwoFactors(session);
    return toAuth(session, required);
  }

  const authOrNull = (request: HttpRequest, required: SessionRequirements): Promise<Auth | null> =>
    sessionOf(request, required).then(session => toAuth(session, required), nullIfRefused);

  /** Returns the response to a request that a guard refuses: as the API's, or a redirect for a person. */
  function refuse(request: HttpRequest, error: unknown, { browser }: SessionRequirements): HttpResponse {
    if (!browser) return problemResponse(request, error, logger);
    const page = browserSessions!.pageInstead(request, error);
    if (page !== null) return redirectTo(page, privateHeaders, 303);
    const problem = problemResponse(request, error, logger);
    return { ...problem, headers: { ...problem.headers, ...privateHeaders } };
  }

  const read = (name: GuardName, given: unknown) => readRequirements(name, given, browserSessions !== null);

  /** A misspelt role must not make a route unreachable. @throws {TypeError} */
  function assertRole(name: string, role: string): void {
    if (roles.includes(role)) return;
    const names = roles.length > 0 ? `there are ${roles.join(', ')}` : 'the configuration names no roles';
    throw new TypeError(`${name} knows no role ${String(role)}: ${names}.`);
  }

  const access = (name: string, given: unknown) =>
    accessCheck(name, given, {
      ...{ ...parts, rules, sessionOf, assertRole },
      assertBrowser(guard) {
        if (browserSessions === null)
          throw new TypeError(`${guard}({ browser: true }) needs enable_browser_sessions = true.`);
      },
    });

  type Check<A> = (request: HttpRequest, required: Protection) => Promise<A>;

  function guard<A>(required: Protection, check: Check<A>): Guard<A> {
    return async (req: IncomingMessage, res: ServerResponse, next: () => void) => {
      const request = new NodeRequest(req, clientOf, languages);
      if (required.browser) keepPrivate(res);
      try {
        Object.assign(req, { auth: await check(request, required) });
      } catch (error) {
        const { headers, ...response } = refuse(request, error, required);
        // `keepPrivate` has added it to what the host's own responses vary by.
        const { Vary: _, ...others } = headers;
        return sendResponse(res, { ...response, headers: others });
      }
      next();
    };
  }

  /** Returns who sent a request of the Fetch standard, or the response that refuses it. */
  async function answered<A>(request: Request, required: Protection, check: Check<A>) {
    const own = new FetchRequest(request, {}, { isTrusted, languages });
    const headers: Record<string, string> = required.browser ? { ...privateHeaders } : {};
    try {
      return { auth: await check(own, required), response: null, headers };
    } catch (error) {
      const response = toFetchResponse(refuse(own, error, required), own.method);
      return { auth: null, response, headers };
    }
  }

  /** Returns a factory of guards. */
  const maker =
    <R extends SessionRequirements, A>(name: GuardName, check: Check<A>, more: Protection = {}) =>
    (...given: [requirements?: R]): Guard<A> => {
      assertNotRoute(name, given);
      return guard({ ...read(name, given[0]), ...more }, check);
    };

  return {
    requireSession: maker<SessionRequirements, Auth>('requireSession', admit),
    requireSuperuser: maker<SessionRequirements, Auth>('requireSuperuser', admit, { superuser: true }),

    requireRole(...given: [role: string, requirements?: SessionRequirements]): Guard<Auth> {
      assertNotRoute('requireRole', given);
      const [role, requirements] = given;
      assertRole('requireRole', role);
      return guard({ ...read('requireRole', requirements), role }, admit);
    },

    requireAccess(...given: [requirements: AccessRequirements]): Guard<AccessAuth> {
      assertNotRoute('requireAccess', given);
      const { check, browser } = access('requireAccess', given[0]);
      return guard({ browser }, check);
    },

    async protectAccess(request: Request, given: AccessRequirements): Promise<AccessProtected> {
      const { check, browser } = access('protectAccess', given);
      return answered(request, { browser }, check);
    },

    optionalSession: maker<Pick<SessionRequirements, 'browser'>, Auth | null>('optionalSession', authOrNull),

    async sessionOf(request: Request, given?: Pick<SessionRequirements, 'browser'>): Promise<Auth | null> {
      return authOrNull(new FetchRequest(request, {}, { isTrusted, languages }), read('sessionOf', given));
    },

    async protect(request: Request, given?: Protection): Promise<Protected> {
      const required = read('protect', given);
      if (required.role !== undefined) assertRole('protect', required.role);
      return answered(request, required, admit);
    },

    authenticate: (token: string): Promise<Auth | null> =>
      enrolled(authentication.authenticate(token)).then(session => toAuth(session), nullIfRefused),
  };
}
