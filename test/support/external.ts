import { expect } from 'vitest';
import type { OAuthIdentity } from '../../src/tables/oauth-identity.ts';
import { type App, type AppOptions, type Reply, startApp } from './app.ts';
import { type InstantProvider, type Person, startInstantProvider } from './instant-provider.ts';
import { baseUrl } from './oidc.ts';

/** An app with a provider at which people sign in at once, in the words of the tests. */
export interface External {
  app: App;
  provider: InstantProvider;
  /** Starts a sign-in and returns where the browser goes. */
  start(): Promise<string>;
  /** Starts a link and returns where the browser goes. */
  startLink(by: { token: string }): Promise<string>;
  /** Comes back from the provider as this person; returns where that leads. */
  comeBack(authorizationUrl: string, person: Person | string): Promise<URL>;
  link(by: { token: string }, person: Person | string): Promise<URL>;
  signIn(person: Person | string): Promise<URL>;
  exchange(ended: URL): Promise<Reply>;
  /** Signs in and returns the session token, or null when the sign-in was refused. */
  sessionOf(person: Person | string): Promise<string | null>;
  /** Who has this session; null when it is dead. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  me(token: string): Promise<any>;
  identitiesOf(user: { id: string }): Promise<OAuthIdentity[]>;
  close(): Promise<void>;
}

/** Starts both; a provider that is given is left running. */
export async function startExternal(
  { settings = {}, ...options }: Omit<AppOptions, 'settings'> & { settings?: object } = {},
  given?: InstantProvider,
): Promise<External> {
  const provider = given ?? (await startInstantProvider());
  const { oauth, ...others } = settings as { oauth?: object };
  const app = await startApp({
    ...options,
    settings: { baseUrl, enableOauth: true, ...others, oauth: { ...provider.settings, ...oauth } },
  });
  const external: External = {
    app,
    provider,
    async start() {
      const reply = await app.rest('GET', '/oauth/google/start');
      expect(reply.status).toBe(302);
      return reply.headers.get('Location')!;
    },
    async startLink({ token }) {
      const reply = await app.rest('POST', '/oauth/google/link/start', {}, { token });
      expect(reply.status).toBe(200);
      return reply.body.authorization_url;
    },
    async comeBack(url, person) {
      const query = provider.answerTo(url, typeof person === 'string' ? { sub: person } : person);
      const reply = await app.rest('GET', `/oauth/google/callback${query}`);
      expect(reply.status).toBe(302);
      return new URL(reply.headers.get('Location')!);
    },
    link: async (by, person) => external.comeBack(await external.startLink(by), person),
    signIn: async person => external.comeBack(await external.start(), person),
    exchange: ended => app.rest('POST', '/oauth/exchange', { id: ended.searchParams.get('id') }),
    async sessionOf(person) {
      const ended = await external.signIn(person);
      if (!ended.searchParams.has('id')) return null;
      const { status, body } = await external.exchange(ended);
      return status === 200 ? (body.access_token ?? null) : null;
    },
    async me(token) {
      const { status, body } = await app.rest('GET', '/me', undefined, { token });
      return status === 200 ? body : null;
    },
    identitiesOf: ({ id }) => app.gatehouse.repositories.oauth_identities.listByUser(id),
    async close() {
      await app.close();
      if (!given) await provider.close();
    },
  };
  return external;
}
