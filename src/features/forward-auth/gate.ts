import type { FeatureParts } from '../../composition/open-feature.ts';
import { errorPageUrl, pathOnSite } from '../../domain/redirects.ts';
import type { Session } from '../../domain/session.ts';
import { GatehouseError } from '../../errors.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import { isFromSite, opensPage, privateHeaders } from '../../http/browser-session.ts';
import type { HttpRequest, HttpResponse } from '../../http/message.ts';
import { toGatehouseError } from '../../http/problem.ts';
import { trustOf } from '../../http/proxies.ts';
import { problemResponse } from '../../http/response.ts';
import { say } from '../../words/said.ts';
import { admitted, ledTo } from './answer.ts';
import { type Forwarded, Lacking, readForwarded } from './forwarded.ts';
import type { createHosts, Led } from './hosts.ts';
import { keepTokens } from './kept-tokens.ts';
import { type Parameters, readParameters } from './parameters.ts';

/** How often a foreign host is logged, in milliseconds. */
const foreignLogMs = 60_000;

type Hosts = ReturnType<typeof createHosts>;

/** Answers proxies that ask whether a request may go on to an application (CONTRACT §16.7). It changes nothing. */
export function createGate(
  { config, clock, logger, lifeCycle, sessions, views }: FeatureParts,
  hosts: Hosts,
) {
  const { baseUrl, urls } = config;
  const { authentication, rules } = sessions;
  const isTrusted = trustOf(config.trustedProxies);
  const site = new URL(baseUrl);
  const cookie = createBrowserCookie({ baseUrl });
  const tokenFor = keepTokens(clock, () => lifeCycle.accessTokens!);
  const outcomes: Record<string, number> = {};
  let foreignLoggedAt = Number.NEGATIVE_INFINITY;

  const isOwn = ({ host }: Forwarded) => host === site.host;

  const known = {
    roles: config.roles,
    isResource: (name: string) => lifeCycle.accessTokens?.isFor(name) === true,
  };

  /** A name that points here and is in no configuration: a mistake, or somebody else's. @throws {GatehouseError} forbidden */
  function refuseForeign(host: string): never {
    const now = clock.now().getTime();
    if (Math.abs(now - foreignLoggedAt) >= foreignLogMs) {
      foreignLoggedAt = now;
      logger.warn({ host }, 'forward authentication was asked about a host that is not configured');
    }
    throw new GatehouseError('forbidden');
  }

  /** Returns the session of a request, by the cookie alone: an application may have bearer tokens of its own. */
  async function sessionOf(forwarded: Forwarded): Promise<Session> {
    const token = cookie.read(forwarded.headers.cookie);
    if (token !== null && !isFromSite(forwarded, forwarded.origin))
      throw new GatehouseError('unauthenticated', { detail: say('error_browser_session_elsewhere') });
    return isOwn(forwarded)
      ? authentication.authenticateBrowser(token)
      : hosts.sessionAt(token, forwarded.host);
  }

  /** @throws {GatehouseError} unauthenticated, forbidden, recent_sign_in_required, mfa_enrolment_required */
  async function admit(forwarded: Forwarded, { roles, mfa, recentSeconds, resource }: Parameters) {
    const session = await sessionOf(forwarded);
    if (rules.requiresEnrolment) await rules.assertEnrolled(session);
    if (roles.length > 0 && !roles.some(role => session.user.roles?.includes(role)))
      throw new GatehouseError('forbidden');
    if (recentSeconds !== null) rules.assertRecent(session, recentSeconds);
    if (mfa) await rules.assertTwoFactors(session);
    return { session, accessToken: resource === null ? null : await tokenFor(resource, session) };
  }

  /** Returns the page on which a person does what is missing, or null where the refusal is the response. */
  function pageInstead(error: unknown, forwarded: Forwarded): (Pick<Led, 'location'> & Partial<Led>) | null {
    if (!(error instanceof GatehouseError) || !opensPage(forwarded)) return null;
    const { code } = error;
    if (code === 'mfa_enrolment_required') return { location: errorPageUrl(urls.account, code) };
    if (code !== 'unauthenticated' && code !== 'recent_sign_in_required') return null;
    const again = code === 'unauthenticated' ? undefined : code;
    if (!isOwn(forwarded)) return hosts.wayTo(forwarded, again);
    const page = new URL(again === undefined ? urls.login : errorPageUrl(urls.login, again));
    const next = pathOnSite(forwarded.uri, config);
    if (next !== null) page.searchParams.set('next', next);
    return { location: page.href };
  }

  /** Returns the response, and how it is counted. */
  async function answer(request: HttpRequest): Promise<[HttpResponse, string]> {
    if (request.peer === null || !isTrusted?.(request.peer)) throw new GatehouseError('forbidden');
    const parameters = readParameters(request.query, known);
    const { isNginx } = parameters;
    const forwarded = readForwarded(request.headers, { isNginx, scheme: site.protocol.slice(0, -1) });
    if (!isOwn(forwarded)) {
      if (!hosts.isListed(forwarded.host)) return refuseForeign(forwarded.host);
      const exchanged = await hosts.exchange(forwarded, () => request.speak());
      if (exchanged && 'status' in exchanged) return [exchanged, 'forbidden'];
      if (exchanged) return [ledTo(exchanged, isNginx), 'ticket'];
    }
    try {
      const { session, accessToken } = await admit(forwarded, parameters);
      const user = views.toUserPublic(session.user);
      const response = admitted({
        ...{ user, accessToken },
        ...{ cookie: forwarded.headers.cookie, ours: hosts.names },
      });
      return [response, 'ok'];
    } catch (error) {
      const page = pageInstead(error, forwarded);
      if (page === null) throw error;
      return [ledTo(page, isNginx), (error as GatehouseError).code];
    }
  }

  function count(outcome: string): void {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }

  return {
    /** How many questions were answered in each way: `ok`, `ticket`, or the code of the refusal. */
    outcomes,

    async respond(request: HttpRequest): Promise<HttpResponse> {
      try {
        const [response, outcome] = await answer(request);
        count(outcome);
        return response;
      } catch (thrown) {
        const error = toGatehouseError(thrown, request.id);
        count(error.code);
        if (error instanceof Lacking)
          logger.warn({ request_id: request.id, lacks: error.lacks }, 'the proxy does not say what is asked');
        const problem = problemResponse(request, error, logger);
        return { ...problem, headers: { ...problem.headers, ...privateHeaders } };
      }
    },
  };
}
