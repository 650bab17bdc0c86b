import Negotiator from 'negotiator';
import type { Config } from '../config/schema.ts';
import type { FeaturesView } from '../contract/views/features.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../http/message.ts';
import { hasPlainPath } from '../http/plain-path.ts';
import { jsonResponse, redirectTo, refuseMethod } from '../http/response.ts';
import type { Logger } from '../logger.ts';
import type { Rendering } from '../templates.ts';
import { type Asset, readAssets } from './assets.ts';
import { pageHeaders } from './policy.ts';
import { createRenderer, type ProviderOfPages } from './render.ts';
import { contentResponse } from './respond.ts';

interface PagesParts {
  config: Config;
  features: FeaturesView;
  /** The identity providers that can be used. */
  providers: ProviderOfPages[];
  logger: Logger;
}

/**
 * The handlers for browsers: pages for `ui_prefix`, style sheets and scripts for `static_prefix`, the addresses that
 * password managers look for below `/.well-known`, and a page for unknown paths.
 */
export interface Pages {
  ui: HttpHandler;
  staticFiles: HttpHandler;
  wellKnown: HttpHandler;
  notFound: HttpHandler;
  /** Returns a rendering of every page that exists. */
  renderings(): Rendering[];
}

/** One year, in seconds: the longest time that RFC 9111 §5.3 intends. */
const forever = 'public, max-age=31536000, immutable';
const revalidated = 'no-cache';

/** Where clients look for the addresses of a site (RFC 8615). */
export const wellKnownPrefix = '/.well-known';

/**
 * Pages that the browser may keep, if it revalidates them; the others show an account, or have a token in their address.
 */
const storable = new Set(['login', 'register', 'forgot']);

type Work = (request: HttpRequest) => Promise<HttpResponse>;

const nothing: HttpHandler = () => null;

/**
 * Returns the pages. Which ones exist follows from the features of the services; while the pages are off, every handler
 * leaves all requests to the host application.
 */
export function createPages({ config, features, providers, logger }: PagesParts): Pages {
  if (!config.enableUiRouter) {
    return {
      ui: nothing,
      staticFiles: nothing,
      wellKnown: nothing,
      notFound: nothing,
      renderings: () => [],
    };
  }
  const assets = readAssets();
  const pages = pagesOf(features, config);
  const render = createRenderer({ config, features, pages, providers, assets });
  const headers = pageHeaders(config);

  const page =
    (name: string, caching: string, status?: number): Work =>
    async request =>
      contentResponse(request, {
        type: 'text/html; charset=utf-8',
        body: await render(name),
        headers: { ...headers, 'Cache-Control': caching },
        status,
      });

  /** Returns a handler of these names; other paths, and those with several readings, are left to the host application. */
  function handlerOf(prefix: string, works: Record<string, Work>): HttpHandler {
    const byPath = new Map(Object.entries(works).map(([name, work]) => [`/${name}`, work]));
    return (request, path) => {
      const work = byPath.get(path);
      if (!work || !hasPlainPath(request.target)) return null;
      request.route = `${prefix}${path}`;
      return isReading(request) ? work(request) : Promise.resolve(refuseMethod(request, 'GET, HEAD', logger));
    };
  }

  const named = handlerOf(
    config.uiPrefix,
    Object.fromEntries(pages.map(name => [name, page(name, storable.has(name) ? revalidated : 'no-store')])),
  );
  const notFound = page('not-found', 'no-store', 404);
  return {
    ui: (request, path) => named(request, path) ?? redirectToAccount(config, request, path),
    staticFiles: handlerOf(
      config.staticPrefix,
      Object.fromEntries([...assets.values()].map(asset => [asset.name, assetOf(asset)])),
    ),
    wellKnown: handlerOf(wellKnownPrefix, wellKnownOf(config)),
    notFound: request => (isBrowser(request) ? notFound(request) : null),
    renderings: () => [...pages, 'not-found'].map(name => () => render(name)),
  };
}

/** For a person who types the address in; other methods belong to the host application. */
function redirectToAccount({ uiPrefix }: Config, request: HttpRequest, path: string) {
  if ((path !== '/' && path !== '') || !isReading(request) || !hasPlainPath(request.target)) return null;
  request.route = uiPrefix;
  return Promise.resolve(redirectTo(`${uiPrefix}/me`, { 'Cache-Control': revalidated }));
}

/** A Well-Known URL for Changing Passwords; passkey endpoints (both W3C). */
function wellKnownOf({ baseUrl, uiPrefix, enablePasskeys }: Config): Record<string, Work> {
  const signingIn = `${baseUrl}${uiPrefix}/me#signing-in`;
  const caching = { 'Cache-Control': revalidated };
  return {
    'change-password': async () => redirectTo(signingIn, caching),
    ...(enablePasskeys && {
      'passkey-endpoints': async () => jsonResponse(200, { enroll: signingIn, manage: signingIn }, caching),
    }),
  };
}

const isReading = ({ method }: HttpRequest) => method === 'GET' || method === 'HEAD';

/** Returns whether a client reads a path and prefers a page to JSON. */
const isBrowser = (request: HttpRequest): boolean =>
  isReading(request) &&
  new Negotiator({ headers: request.headers }).mediaType(['application/json', 'text/html']) === 'text/html';

/** Returns the names of the pages that exist. */
export function pagesOf(
  features: FeaturesView,
  { enableGraphql, notifyNewSignIn }: Pick<Config, 'enableGraphql' | 'notifyNewSignIn'>,
): string[] {
  const pages: Record<string, boolean> = {
    login: true,
    register: features.registration,
    verify: true,
    forgot: features.password_reset,
    'reset-password': features.password_reset,
    'accept-invitation': true,
    'confirm-email-change': true,
    mfa: features.sms_2fa || features.totp || features.passkeys,
    'not-me': notifyNewSignIn,
    me: true,
    'oauth-complete': true,
    // The console uses only GraphQL.
    admin: features.admin && enableGraphql,
  };
  return Object.keys(pages).filter(name => pages[name]);
}

/** Returns what serves a style sheet or script: with its hash in the address, its content never changes. */
const assetOf =
  ({ type, body, hash }: Asset): Work =>
  request => {
    const isHashed = new URLSearchParams(request.query).get('v') === hash;
    const headers = {
      'Cache-Control': isHashed ? forever : revalidated,
      // Scripts and styles of this site are not for documents of other sites.
      'Cross-Origin-Resource-Policy': 'same-origin',
    };
    return contentResponse(request, { type, body, headers });
  };
