import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isLoopbackHost } from '../../config/loopback.ts';
import { GatehouseError } from '../../errors.ts';
import { readJson } from '../../http/body.ts';
import type { HostRequest } from '../../http/host-request.ts';
import { type NodeHandler, pathOf } from '../../http/node.ts';
import type { FirstAdministratorLink } from './first-administrator.ts';
import type { Inbox } from './inbox.ts';
import { devPrefix, firstAdministratorPage, inboxPage, type PageParts, readFiles } from './pages.ts';

interface HandlerParts {
  config: PageParts & { baseUrl: string };
  inbox: Inbox;
  link: FirstAdministratorLink;
}

const headersOf = (policy: readonly string[]): Record<string, string> => ({
  'Content-Security-Policy': ["default-src 'none'", ...policy, "base-uri 'none'"].join('; '),
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});

/** The headers of the pages, and of all that they load. */
const ownHeaders = headersOf([
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'", "frame-src 'self'"],
  ...[
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ],
]);

/**
 * The headers of the HTML of a mail: a document of an origin of its own that runs nothing, and loads nothing from
 * anywhere. Its links open in tabs of their own.
 */
const mailHeaders = headersOf([
  ...["style-src 'unsafe-inline'", 'img-src data:', "form-action 'none'", "frame-ancestors 'self'"],
  'sandbox allow-popups allow-popups-to-escape-sandbox',
]);

/** Headers by which a proxy tells whom it forwards for. */
const forwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Returns whether a request comes from this machine, and not by a name that leads here from elsewhere (DNS rebinding) or
 * through a proxy or a tunnel.
 */
function isOfThisMachine({ headers, socket }: IncomingMessage, baseUrl: string): boolean {
  const { hostname } = URL.parse(`http://${headers.host ?? ''}`) ?? {};
  const isNamed =
    hostname !== undefined &&
    (isLoopbackHost(hostname) || (hostname === new URL(baseUrl).hostname && hostname.endsWith('.localhost')));
  const isNear = /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
  return isNamed && isNear && forwarded.every(name => headers[name] === undefined);
}

/** Returns whether a request that changes something was made by one of these pages (CSRF). */
const isOwnPage = ({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
  origin === `http://${host}` && (site === undefined || site === 'same-origin');

/** Returns what serves the paths of development. Every other path is passed on. */
export function createDevHandler({ config, inbox, link }: HandlerParts): NodeHandler {
  const files = readFiles();
  const inboxHtml = inboxPage(config);

  /** Serves a path, and returns whether there is one. */
  async function serve(req: HostRequest, res: ServerResponse): Promise<boolean> {
    const path = pathOf(req.url ?? '');
    const query = URL.parse(req.url ?? '', 'http://localhost')?.searchParams;
    const mail = new RegExp(`^${devPrefix}/inbox/(\\d+)\\.html$`).exec(path);
    req.routePattern = mail ? `${devPrefix}/inbox/{number}.html` : path;
    if (path === `${devPrefix}/first-administrator` && req.method === 'POST') {
      await makeAdministrator(req, res);
      return true;
    }
    const file = files.get(path);
    const html = mail ? inbox.htmlOf(Number(mail[1])) : null;
    const page = async () => {
      if (file) return send(res, 200, file.body, { ...ownHeaders, 'Content-Type': file.type });
      if (html !== null) return sendPage(res, 200, withTarget(html), mailHeaders);
      if (path === `${devPrefix}/inbox`) return sendPage(res, 200, inboxHtml);
      if (path === `${devPrefix}/inbox/messages`)
        return inbox.follow(res, first(req.headers['last-event-id']), ownHeaders);
      if (path === `${devPrefix}/first-administrator`) {
        const works = await link.works(query?.get('token'));
        return sendPage(res, works ? 200 : 410, firstAdministratorPage(config, works));
      }
      return null;
    };
    if (req.method === 'GET') return (await page()) !== null;
    const isKnown = file || html !== null || /\/(?:inbox(?:\/messages)?|first-administrator)$/.test(path);
    if (!isKnown) return false;
    send(res, 405, null, { ...ownHeaders, Allow: 'GET' });
    return true;
  }

  async function makeAdministrator(req: HostRequest, res: ServerResponse): Promise<void> {
    const answer = (status: number, body: object) =>
      send(res, status, JSON.stringify(body), {
        ...ownHeaders,
        'Content-Type': 'application/json; charset=utf-8',
      });
    if (!isOwnPage(req.headers)) return answer(403, { detail: 'Only the page of this server may do this.' });
    try {
      const wish = (await readJson(req)) as object;
      const bearer = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '')?.[1];
      answer(200, await link.use(wish, bearer));
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      const isGone = error.code === 'not_found';
      answer(isGone ? 410 : 422, {
        code: error.code,
        detail: isGone ? 'This link no longer works.' : error.message,
      });
    }
  }

  return (req, res, next) => {
    const path = pathOf(req.url ?? '');
    if (path !== devPrefix && !path.startsWith(`${devPrefix}/`)) return next?.();
    // As if there were nothing.
    if (!isOfThisMachine(req, config.baseUrl)) return next?.();
    serve(req, res).then(
      isServed => !isServed && next?.(),
      error => next?.(error),
    );
  };
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

/** Lets the links of a mail open in tabs of their own: its frame may go nowhere. */
const withTarget = (html: string) => html.replace(/<head>/i, '<head><base target="_blank">');

function sendPage(res: ServerResponse, status: number, html: string, headers = ownHeaders): void {
  send(res, status, html, { ...headers, 'Content-Type': 'text/html; charset=utf-8' });
}

function send(
  res: ServerResponse,
  status: number,
  body: string | null,
  headers: Record<string, string>,
): void {
  const { replyHeaders } = res.req as HostRequest;
  res.writeHead(status, { ...replyHeaders, ...headers });
  res.end(body ?? undefined);
}
