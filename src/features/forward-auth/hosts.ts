import { createHash } from 'node:crypto';
import type { FeatureParts } from '../../composition/open-feature.ts';
import { randomToken } from '../../crypto/one-time.ts';
import { errorPageUrl, parseSameOriginUrl } from '../../domain/redirects.ts';
import { fieldError, GatehouseError } from '../../errors.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import { opensPage, privateHeaders } from '../../http/browser-session.ts';
import type { HttpRequest, HttpResponse } from '../../http/message.ts';
import { isReading } from '../../http/named-paths.ts';
import { redirectTo, refuseMethod } from '../../http/response.ts';
import { say } from '../../words/said.ts';
import type { Words } from '../../words/words.ts';
import { openAgain } from './answer.ts';
import { type Forwarded, isHost } from './forwarded.ts';

/** The parameter with which a browser brings a ticket. */
const ticketName = 'svc_ticket';
/** How long a browser keeps the state, in seconds. */
const stateSeconds = 600;
/** 32 bytes in base64url. */
const wellFormed = /^[A-Za-z0-9_-]{43}$/;

/** Where a browser is led, and the cookie that it is given on the way. */
export interface Led {
  location: string;
  cookie: string;
}

/**
 * Brings the session of `base_url` to other hosts: a browser that has none there goes to the start with the hash of a state that
 * it keeps, and comes back with a ticket that is good once, for a minute, for that host and that state (CONTRACT §16.7).
 */
export function createHosts({ config, logger, sessions, repositories }: FeatureParts) {
  const { baseUrl, apiPrefix, urls, forwardAuthHosts } = config;
  const { authentication, issuing, tokens } = sessions;
  const { protocol } = new URL(baseUrl);
  const session = createBrowserCookie({ baseUrl });
  const stateCookie = createBrowserCookie({ baseUrl, suffix: '-state', maxAgeSeconds: stateSeconds });
  const startPath = `${apiPrefix}/forward-auth/start`;
  const originOf = (host: string) => `${protocol}//${host}`;

  /** Returns the state of a browser, which it may have already: tabs that open at once share it. */
  function stateOf({ headers }: Forwarded): string {
    const kept = stateCookie.read(headers.cookie);
    return kept !== null && wellFormed.test(kept) ? kept : randomToken();
  }

  /** Returns the session of a ticket. @throws {GatehouseError} unauthenticated, for one that does not count */
  async function redeem(ticket: string, { host, headers }: Forwarded): Promise<string> {
    const verdict = tokens.verify('forward_ticket', ticket);
    const state = stateCookie.read(headers.cookie);
    if ('refused' in verdict || state === null) throw new GatehouseError('unauthenticated');
    const { claims } = verdict;
    const isOurs = claims.host === host && claims.state === hashOf(state);
    if (!isOurs || !claims.session) throw new GatehouseError('unauthenticated');
    const token = issuing.forwardedToken({ ...claims, ...claims.session }, host);
    await authentication.authenticateForwarded(token, host);
    // Of several uses, one inserts it.
    const isFirst = await repositories.blacklist.add({
      jti: claims.jti,
      exp: new Date(Math.ceil(claims.exp * 1000)),
    });
    if (!isFirst) throw new GatehouseError('unauthenticated');
    return token;
  }

  return {
    /** The names of the cookies at each host. */
    names: [session.name, stateCookie.name],

    isListed: (host: string): boolean => forwardAuthHosts.includes(host),

    /** Returns the session that a browser keeps at another host. @throws {GatehouseError} unauthenticated */
    sessionAt: (token: string | null, host: string) => authentication.authenticateForwarded(token, host),

    /** Returns where a browser gets a session for another host. With a code, it signs in again first. */
    wayTo(forwarded: Forwarded, code?: string): Led {
      const state = stateOf(forwarded);
      const to = withoutTicket(forwarded.uri);
      const query = new URLSearchParams({ host: forwarded.host, to, state: hashOf(state) });
      const path = `${startPath}?${query}`;
      const cookie = stateCookie.write(state);
      if (code === undefined) return { location: baseUrl + path, cookie };
      const page = new URL(errorPageUrl(urls.login, code));
      page.searchParams.set('next', path);
      return { location: page.href, cookie };
    },

    /** Returns the response to a navigation that brings a ticket, or null where there is none. */
    async exchange(forwarded: Forwarded, speak: () => Words): Promise<Led | HttpResponse | null> {
      const tickets = new URLSearchParams(queryOf(forwarded.uri)).getAll(ticketName);
      if (tickets.length === 0 || !opensPage(forwarded)) return null;
      const location = forwarded.origin + withoutTicket(forwarded.uri);
      try {
        const token = await redeem(tickets.length === 1 ? tickets[0]! : '', forwarded);
        return { location, cookie: session.write(token) };
      } catch (error) {
        if (error instanceof GatehouseError && error.code === 'unauthenticated')
          return openAgain(location, speak());
        throw error;
      }
    },

    /** Leads a browser that is signed in at `base_url` back to the host that has sent it, with a ticket. */
    async start(request: HttpRequest): Promise<HttpResponse> {
      if (!isReading(request)) return refuseMethod(request, 'GET, HEAD', logger);
      const { host, to, state } = readStart(request.query);
      if (!forwardAuthHosts.includes(host)) throw new GatehouseError('not_found');
      const target = parseSameOriginUrl(to, { baseUrl: originOf(host) });
      const headers = { ...privateHeaders, 'Referrer-Policy': 'no-referrer' };
      try {
        const { claims } = await authentication.authenticateBrowser(session.read(request.headers.cookie));
        return redirectTo(withTicket(target, issuing.forwardTicket(claims, host, state)), headers, 303);
      } catch (error) {
        if (!(error instanceof GatehouseError) || error.code !== 'unauthenticated') throw error;
        const page = new URL(urls.login);
        page.searchParams.set('next', `${startPath}?${new URLSearchParams({ host, to, state })}`);
        return redirectTo(page.href, headers, 303);
      }
    },
  };
}

const hashOf = (state: string) => createHash('sha256').update(state).digest('base64url');

const queryOf = (uri: string) => (uri.includes('?') ? uri.slice(uri.indexOf('?')) : '');

/** Returns path and query without the ticket; everything else stays as it was written. */
function withoutTicket(uri: string): string {
  const [path = ''] = uri.split('?', 1);
  const kept = queryOf(uri)
    .slice(1)
    .split('&')
    .filter(pair => !new URLSearchParams(pair).has(ticketName));
  const query = kept.join('&');
  return query === '' ? path : `${path}?${query}`;
}

/** Returns the address with a ticket, and without one that was in it. */
function withTicket(address: string, ticket: string): string {
  const { origin, pathname, search } = new URL(address);
  const uri = withoutTicket(pathname + search);
  return `${origin}${uri}${uri.includes('?') ? '&' : '?'}${ticketName}=${ticket}`;
}

/** @throws {GatehouseError} invalid_input, for what is missing, doubled or can be none */
function readStart(query: string): { host: string; to: string; state: string } {
  const given = new URLSearchParams(query);
  const read = (name: string, isReadable: (text: string) => boolean) => {
    const [value = '', ...more] = given.getAll(name);
    if (value === '' || more.length > 0 || !isReadable(value))
      throw new GatehouseError('invalid_input', {
        errors: [fieldError(name, more.length > 0 ? say('field_twice') : say('field_required'))],
      });
    return value;
  };
  return {
    host: read('host', isHost),
    to: read('to', text => !/^(?:[a-z]+:)?\/\/[^/?#]*@/i.test(text)),
    state: read('state', text => wellFormed.test(text)),
  };
}
