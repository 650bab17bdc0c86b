import type { Secret } from '../../config/secret.ts';
import { errorPageUrl, parseSameOriginUrl } from '../../domain/redirects.ts';
import { GatehouseError } from '../../errors.ts';
import { type BrowserSessions, hasBearer } from '../../http/browser-session.ts';
import type { HttpRequest } from '../../http/message.ts';
import { say } from '../../words/said.ts';
import type { BrowserCookie } from './cookie.ts';
import { createCsrfTokens } from './csrf.ts';

/** The parts of the configuration that name this site and its pages. */
interface SiteOptions {
  baseUrl: string;
  urls: { login: string; account: string };
  jwtSecret: Secret;
  jwtSecretPrevious?: Secret | undefined;
}

/** What guards of the host's own pages do with the session that a browser keeps (CONTRACT §15.1). */
export function createBrowserSessions(config: SiteOptions, cookie: BrowserCookie): BrowserSessions {
  const { origin } = new URL(config.baseUrl);

  /** Returns whether a request may use what the browser adds by itself: it changes nothing, or comes from this site (CSRF). */
  function isOwn(request: HttpRequest): boolean {
    if (isReading(request)) return true;
    const { 'sec-fetch-site': site, origin: sender } = request.headers;
    return site === undefined ? sender === origin : site === 'same-origin' || site === 'none';
  }

  /** Returns the login page, which leads back to where the person was going, as far as that is a page of this site. */
  function signInUrl({ target }: HttpRequest, page: string): string {
    const next = pathOnSite(target, config);
    if (next === null) return page;
    const url = new URL(page);
    url.searchParams.set('next', next);
    return url.href;
  }

  return {
    csrf: createCsrfTokens(config),

    /**
     * Returns the token in the cookie, or null without one.
     * @throws {GatehouseError} unauthenticated, when the request comes from another site and may change something
     */
    tokenOf(request: HttpRequest): string | null {
      const token = cookie.read(request.headers.cookie);
      if (token !== null && !isOwn(request)) {
        throw new GatehouseError('unauthenticated', {
          detail: say('error_browser_session_elsewhere'),
        });
      }
      return token;
    },

    /**
     * Returns the page to which a person goes instead of this refusal, or null where the refusal is the response. The
     * login page is told by `error` that a new sign-in is asked for: otherwise it would lead on at once.
     */
    pageInstead(request: HttpRequest, error: unknown): string | null {
      if (!(error instanceof GatehouseError) || !isNavigation(request)) return null;
      const { login, account } = config.urls;
      if (error.code === 'unauthenticated') return signInUrl(request, login);
      if (error.code === 'recent_sign_in_required')
        return signInUrl(request, errorPageUrl(login, error.code));
      return error.code === 'mfa_enrolment_required' ? errorPageUrl(account, error.code) : null;
    },
  };
}

const safeMethods = ['GET', 'HEAD'];

/** A handshake of a WebSocket is a GET, and opens more than a view (RFC 6455 §10.2). */
const isReading = ({ method, sentMethod, headers }: HttpRequest): boolean =>
  [method, sentMethod].every(each => safeMethods.includes(each)) &&
  headers.upgrade?.toLowerCase() !== 'websocket';

/** Returns whether a person opens a page. Whoever sends a bearer token is a program. */
const isNavigation = ({ method, headers }: HttpRequest): boolean =>
  safeMethods.includes(method) &&
  !hasBearer(headers) &&
  (headers['sec-fetch-mode'] === 'navigate' || /\btext\/html\b/i.test(headers.accept ?? ''));

/** Returns path and query of a request target, or null when they could lead elsewhere (open redirect). */
function pathOnSite(target: string, config: Pick<SiteOptions, 'baseUrl'>): string | null {
  try {
    const { pathname, search } = new URL(parseSameOriginUrl(target, config));
    return pathname + search;
  } catch (error) {
    if (error instanceof GatehouseError) return null;
    throw error;
  }
}
