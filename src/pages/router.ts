import Negotiator from 'negotiator';
import { factorsOf } from '../config/factors.ts';
import type { Config } from '../config/schema.ts';
import type { FeaturesView } from '../contract/views/features.ts';
import type { HttpHandler, HttpRequest } from '../http/message.ts';
import { isReading, namedPaths, type Work } from '../http/named-paths.ts';
import { hasPlainPath } from '../http/plain-path.ts';
import { redirectTo } from '../http/response.ts';
import type { Logger } from '../logger.ts';
import type { Rendering } from '../templates.ts';
import type { Languages } from '../words/languages.ts';
import { wordsOfAddress, wordsOfPage } from '../words/negotiate.ts';
import { type Asset, readAssets } from './assets.ts';
import { messagesModules } from './messages-module.ts';
import { featurePagesOf, pageVariablesOf } from './of-features.ts';
import { pageHeaders } from './policy.ts';
import { createRenderer, type ProviderOfPages } from './render.ts';
import { contentResponse } from './respond.ts';

interface PagesParts {
  config: Config;
  features: FeaturesView;
  languages: Languages;
  /** The identity providers that can be used. */
  providers: ProviderOfPages[];
  /** The path of the inbox of development; absent elsewhere. */
  developmentInbox?: string | undefined;
  logger: Logger;
}

/**
 * The handlers for browsers: pages for `ui_prefix`, style sheets and scripts for `static_prefix`, and a page for unknown
 * paths.
 */
export interface Pages {
  ui: HttpHandler;
  staticFiles: HttpHandler;
  notFound: HttpHandler;
  /** Returns a rendering of every page that exists. */
  renderings(): Rendering[];
}

/** One year, in seconds: the longest time that RFC 9111 §5.3 intends. */
const forever = 'public, max-age=31536000, immutable';
const revalidated = 'no-cache';

/**
 * Pages that the browser may keep, if it revalidates them; the others show an account, or have a token in their address.
 */
const storable = new Set(['login', 'register', 'forgot']);

const nothing: HttpHandler = () => null;

/**
 * Returns the pages. Which ones exist follows from the features of the services; while the pages are off, every handler
 * leaves all requests to the host application.
 */
export function createPages({
  config,
  features,
  languages,
  providers,
  developmentInbox,
  logger,
}: PagesParts): Pages {
  if (!config.enableUiRouter) {
    return {
      ui: nothing,
      staticFiles: nothing,
      notFound: nothing,
      renderings: () => [],
    };
  }
  const assets = readAssets();
  const hasAuthenticators = factorsOf(config).length > 0;
  const pages = pagesOf(features, { ...config, hasAuthenticators }, featurePagesOf(config));
  const render = createRenderer({
    ...{ config, features, languages, pages, providers, assets, developmentInbox },
    ofFeatures: pageVariablesOf(config),
  });
  const headers = pageHeaders(config);
  const varied = languages.isChoice && { Vary: 'Accept-Encoding, Accept-Language, Cookie' };

  const page =
    (name: string, caching: string, status?: number): Work =>
    async request => {
      const words = wordsOfPage(request, languages);
      return contentResponse(request, {
        type: 'text/html; charset=utf-8',
        body: await render(name, words),
        headers: { ...headers, 'Cache-Control': caching, 'Content-Language': words.locale, ...varied },
        status,
      });
    };

  const named = namedPaths(
    config.uiPrefix,
    Object.fromEntries(pages.map(name => [name, page(name, storable.has(name) ? revalidated : 'no-store')])),
    logger,
  );
  const notFound = page('not-found', 'no-store', 404);
  return {
    ui: (request, path) => named(request, path) ?? redirectToAccount({ config, languages }, request, path),
    staticFiles: namedPaths(
      config.staticPrefix,
      {
        ...Object.fromEntries([...assets.values()].map(asset => [asset.name, assetOf(() => asset)])),
        ...Object.fromEntries(messagesModules(languages).map(({ name, make }) => [name, assetOf(make)])),
      },
      logger,
    ),
    notFound: request => (isBrowser(request) ? notFound(request) : null),
    renderings: () =>
      languages.offered.flatMap(tag =>
        [...pages, 'not-found'].map(name => () => render(name, languages.of(tag))),
      ),
  };
}

/** For a person who types the address in; other methods belong to the host application. Of the address, only its language is kept. */
function redirectToAccount(
  { config: { uiPrefix }, languages }: Pick<PagesParts, 'config' | 'languages'>,
  request: HttpRequest,
  path: string,
) {
  if ((path !== '/' && path !== '') || !isReading(request) || !hasPlainPath(request.target)) return null;
  request.route = uiPrefix;
  const words = wordsOfAddress(request.query, languages);
  const query = words ? `?lang=${words.locale}` : '';
  return Promise.resolve(redirectTo(`${uiPrefix}/me${query}`, { 'Cache-Control': revalidated }));
}

/** Returns whether a client reads a path and prefers a page to JSON. */
const isBrowser = (request: HttpRequest): boolean =>
  isReading(request) &&
  new Negotiator({ headers: request.headers }).mediaType(['application/json', 'text/html']) === 'text/html';

/** Returns the names of the pages that exist. */
export function pagesOf(
  features: FeaturesView,
  { enableGraphql, hasAuthenticators }: Pick<Config, 'enableGraphql'> & { hasAuthenticators: boolean },
  ofFeatures: readonly string[],
): string[] {
  const pages: Record<string, boolean> = {
    login: true,
    register: features.registration,
    verify: true,
    forgot: features.password_reset,
    'reset-password': features.password_reset,
    'accept-invitation': true,
    'confirm-email-change': true,
    mfa: features.sms_2fa || hasAuthenticators,
    me: true,
    'oauth-complete': true,
    // The console uses only GraphQL.
    admin: features.admin && enableGraphql,
  };
  return [...Object.keys(pages).filter(name => pages[name]), ...ofFeatures];
}

/** Returns what serves a style sheet or script: with its hash in the address, its content never changes. */
const assetOf =
  (read: () => Asset): Work =>
  async request => {
    const { type, body, hash } = read();
    const isHashed = new URLSearchParams(request.query).get('v') === hash;
    const headers = {
      'Cache-Control': isHashed ? forever : revalidated,
      // Scripts and styles of this site are not for documents of other sites.
      'Cross-Origin-Resource-Policy': 'same-origin',
    };
    return contentResponse(request, { type, body, headers });
  };
