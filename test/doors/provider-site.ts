import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { EventName } from '../../src/event-names.ts';
import { type App, startApp } from '../support/app.ts';
import type { Backend } from '../support/backends.ts';
import { baseUrl, type Oidc } from '../support/oidc.ts';
import { codeIn } from '../support/people.ts';

export const verifier = 'a-verifier-of-43-characters-or-more-as-rfc-7636-says';

export const challenge = createHash('sha256').update(verifier).digest('base64url');

/** What the tests do with an app, in their own words. */
export interface Site {
  app: App;
  /** Starts a sign-in and answers where the browser goes. */
  start(query?: Record<string, string>): Promise<string>;
  /** Starts a link and answers where the browser goes. */
  startLink(member: { token: string }, redirect_to?: string): Promise<string>;
  /** Hands what the provider answered to the callback; answers where that leads. */
  callBack(from: URL): Promise<URL>;
  /** Signs in from the start to where the browser ends. */
  signIn(login: string, query?: Record<string, string>): Promise<URL>;
  link(member: { token: string }, login: string, redirect_to?: string): Promise<URL>;
  exchange(ended: URL, more?: object): ReturnType<App['rest']>;
  /** Signs in and answers what was exchanged. @throws when that fails */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  session(login: string): Promise<any>;
  me(token: string): ReturnType<App['rest']>;
}

export async function openSite(oidc: Oidc, settings: ConfigInput = {}, backend?: Backend): Promise<Site> {
  const { oauth, ...others } = settings;
  const app = await startApp({
    ...(backend && { backend }),
    settings: {
      ...{ baseUrl, enableOauth: true, enableSms2fa: true, enableAdminRouter: true },
      ...others,
      oauth: { ...oidc.settings, ...oauth },
    },
  });
  const site: Site = {
    app,
    async start(query = {}) {
      const reply = await app.rest('GET', `/oauth/google/start?${new URLSearchParams(query)}`);
      expect(reply.status).toBe(302);
      return reply.headers.get('Location')!;
    },
    async startLink({ token }, redirect_to) {
      const reply = await app.rest('POST', '/oauth/google/link/start', { redirect_to }, { token });
      expect(reply.status).toBe(200);
      return reply.body.authorization_url;
    },
    async callBack(from) {
      expect(from.origin + from.pathname).toBe(`${baseUrl}/api/auth/oauth/google/callback`);
      const reply = await app.rest('GET', `/oauth/google/callback${from.search}`);
      expect(reply.status).toBe(302);
      return new URL(reply.headers.get('Location')!);
    },
    signIn: async (login, query) => site.callBack(await oidc.signInAt(await site.start(query), login)),
    link: async (member, login, redirect_to) =>
      site.callBack(await oidc.signInAt(await site.startLink(member, redirect_to), login)),
    exchange: (ended, more = {}) =>
      app.rest('POST', '/oauth/exchange', { id: ended.searchParams.get('id'), ...more }),
    async session(login) {
      const ended = await site.signIn(login);
      const { status, body } = await site.exchange(ended);
      if (status !== 200) throw new Error(`The sign-in failed: ${ended} ${JSON.stringify(body)}`);
      return body;
    },
    me: token => app.rest('GET', '/me', undefined, { token }),
  };
  return site;
}

/** A page without a session: nothing but the word for the error stands in its address. */
export const failed = (page: 'login' | 'me', code: string) =>
  new URL(`${baseUrl}/account/${page}?error=${code}`);

export const countUsers = (site: Site) => site.app.gatehouse.repositories.users.count({});

export const identitiesOf = (site: Site, id: string) =>
  site.app.gatehouse.repositories.oauth_identities.listByUser(id);

/** The names of these events so far, in their order. */
export function heard(site: Site, ...names: EventName[]): string[] {
  const all: string[] = [];
  for (const name of names) site.app.gatehouse.on(name, () => void all.push(name));
  return all;
}

/** Reads the notices to an address up to the one with this subject. */
export async function notice(site: Site, to: string, subject: RegExp): Promise<string> {
  for (;;) {
    const mail = await site.app.nextMail(to);
    if (subject.test(mail.subject)) return mail.text;
  }
}

/** The code in the next text message to this phone. */
export const codeTo = async (site: Site, phone: string) => codeIn(await site.app.nextText(phone));
