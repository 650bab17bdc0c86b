import type { Secret } from '../../config/secret.ts';
import { errorPageUrl, pathOnSite } from '../../domain/redirects.ts';
import { GatehouseError } from '../../errors.ts';
import type { BrowserCookie } from '../../http/browser-cookie.ts';
import { type BrowserSessions, hasBearer, isFromSite, opensPage } from '../../http/browser-session.ts';
import type { HttpRequest } from '../../http/message.ts';
import { say } from '../../words/said.ts';
import { createCsrfTokens } from './csrf.ts';

/** The parts of the configuration that name this site and its pages. */
interface SiteOptions {
  baseUrl: string;
  urls: { login: string; account: string };
  jwtSecret: Secret;
  jwtSecretPrevious?: Secret | undefined;
}

/** The session that a browser keeps, for guards of the host's own pages (CONTRACT §15.1). */
export function createBrowserSessions(config: SiteOptions, cookie: BrowserCookie): BrowserSessions {
  const { origin } = new URL(config.baseUrl);

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
      if (token !== null && !isFromSite(request, origin)) {
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

/** Returns whether a person opens a page. A client that sends a bearer token is a program. */
const isNavigation = (request: HttpRequest): boolean => opensPage(request) && !hasBearer(request.headers);
