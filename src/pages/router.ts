import type { ServerResponse } from 'node:http';
import compression from 'compression';
import { type RequestHandler, Router } from 'express';
import type { Config } from '../config/schema.ts';
import { GatehouseError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { answerProblem } from '../rest/answer.ts';
import type { HostRequest } from '../rest/route.ts';
import type { FeaturesView } from '../services/views.ts';
import { type Asset, readAssets } from './assets.ts';
import { pageHeaders } from './policy.ts';
import { createRenderer } from './render.ts';
import { respond } from './respond.ts';

interface PagesParts {
  config: Config;
  features: FeaturesView;
  /** Names of the identity providers that can be used. */
  providers: string[];
  logger: Logger;
}

/** The doors for browsers: pages for `ui_prefix`, style sheets and scripts for `static_prefix`, and a page for the rest. */
export interface Pages {
  uiRouter: Router;
  staticFiles: Router;
  notFoundPage: RequestHandler;
}

/** One year, in seconds: the longest that RFC 9111 §5.3 has in mind. */
const forever = 'public, max-age=31536000, immutable';
const revalidated = 'no-cache';

/** Pages that the browser may keep, if it asks; the others show an account, or have a token in their address. */
const storable = new Set(['login', 'register', 'forgot']);

/** Which pages there are follows from what the services offer; while the pages are off, all of them leave everything to the host. */
export function createPages({ config, features, providers, logger }: PagesParts): Pages {
  const uiRouter = Router({ caseSensitive: true, strict: true });
  const staticFiles = Router({ caseSensitive: true, strict: true });
  if (!config.enableUiRouter) {
    return { uiRouter, staticFiles, notFoundPage: (_req, _res, next) => next() };
  }

  const assets = readAssets();
  const pages = pagesOf(features, config);
  const render = createRenderer({ config, features, pages, providers, assets });
  const headers = pageHeaders(config);
  const compress = compression();

  function serve(router: Router, prefix: string, name: string, handler: RequestHandler): void {
    // The pattern, for the log of whoever serves: nothing of the request stands in it.
    const named: RequestHandler = (req, _res, next) => {
      asHost(req).routePattern = `${prefix}/${name}`;
      next();
    };
    router.get(`/${name}`, named, compress, handler);
    router.all(`/${name}`, named, (req, res) => {
      res.setHeader('Allow', 'GET, HEAD');
      answerProblem(asHost(req), res, new GatehouseError('method_not_allowed'), logger);
    });
  }

  const sendPage =
    (
      name: string,
      { caching, status }: { caching: Record<string, string>; status?: number },
    ): RequestHandler =>
    async (req, res, next) => {
      try {
        const body = await render(name);
        const type = 'text/html; charset=utf-8';
        respond(asHost(req), res, { type, body, headers: { ...headers, ...caching }, status });
      } catch (error) {
        next(error);
      }
    };

  // Somebody who types the address in; the methods of a host's own are its own.
  uiRouter.get('/', (req, res) => {
    asHost(req).routePattern = config.uiPrefix;
    res.writeHead(302, { Location: `${config.uiPrefix}/me`, 'Cache-Control': revalidated });
    res.end();
  });
  for (const name of pages) {
    const caching = { 'Cache-Control': storable.has(name) ? revalidated : 'no-store' };
    serve(uiRouter, config.uiPrefix, name, sendPage(name, { caching }));
  }
  for (const asset of assets.values()) {
    serve(staticFiles, config.staticPrefix, asset.name, (req, res) => sendAsset(asHost(req), res, asset));
  }
  const sendNotFound = sendPage('not-found', { caching: { 'Cache-Control': 'no-store' }, status: 404 });
  const notFoundPage: RequestHandler = (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (isRead && req.accepts(['json', 'html']) === 'html') return sendNotFound(req, res, next);
    next();
  };
  return { uiRouter, staticFiles, notFoundPage };
}

function pagesOf(features: FeaturesView, { enableGraphql }: Pick<Config, 'enableGraphql'>): string[] {
  const pages: Record<string, boolean> = {
    login: true,
    register: features.registration,
    verify: true,
    forgot: features.password_reset,
    'reset-password': features.password_reset,
    'confirm-email-change': true,
    mfa: features.sms_2fa,
    me: true,
    'oauth-complete': true,
    // The console speaks GraphQL alone.
    admin: features.admin && enableGraphql,
  };
  return Object.keys(pages).filter(name => pages[name]);
}

function sendAsset(req: HostRequest, res: ServerResponse, { type, body, hash }: Asset): void {
  const isHashed = new URLSearchParams(req.url?.split('?')[1]).get('v') === hash;
  const headers = {
    'Cache-Control': isHashed ? forever : revalidated,
    // A script or style of ours is no document of anybody's.
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
  respond(req, res, { type, body, headers });
}

const asHost = (req: unknown) => req as HostRequest;
