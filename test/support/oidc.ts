import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listening.ts';

export interface Claims {
  email?: unknown;
  email_verified?: unknown;
}

/** An OpenID Connect provider of the test's own, whose people sign in by their name alone. */
export interface Oidc {
  issuer: string;
  /** The settings in `oauth`. */
  settings: { googleClientId: string; googleClientSecret: string; googleIssuer: string };
  /** The settings of the provider in `oauth.providers`. */
  table: { clientId: string; clientSecret: string; issuer: string };
  /** Says what the ID tokens of this login claim; else it is an address of its own, verified. */
  claim(login: string, claims: Claims): void;
  /** A browser at the provider: follows its redirects, signs in, and answers the address that leads away from it. */
  signInAt(url: string, login: string): Promise<URL>;
  close(): Promise<void>;
}

/** Where the apps of these tests say that they are; nothing listens there. */
export const baseUrl = 'https://app.example';

const client = { id: 'client-of-the-tests', secret: 'a secret of the client of the tests' };

// `oidc-provider` brings no types: this is what is used of it.
interface Grant {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}
interface Context {
  oidc: {
    client: { clientId: string };
    session: { accountId: string };
    provider: { Grant: new (of: { clientId: string; accountId: string }) => Grant };
  };
}
interface OidcProvider {
  callback(): (req: IncomingMessage, res: ServerResponse) => void;
  interactionFinished(req: IncomingMessage, res: ServerResponse, result: object): Promise<void>;
}
interface OidcProviderModule {
  default: new (issuer: string, options: object) => OidcProvider;
  interactionPolicy: {
    base(): { add(prompt: object): void };
    Prompt: new (options: { name: string; requestable: boolean }) => object;
  };
}

/** Starts a provider on loopback that knows the app of this origin, which has it under this name. */
export async function startOidc(appOrigin = baseUrl, ...names: string[]): Promise<Oidc> {
  // @ts-expect-error: no types
  const { default: Provider, interactionPolicy }: OidcProviderModule = await import('oidc-provider');
  const server = createServer();
  const { origin: issuer, close } = await listen(server);
  const redirectUris = (names.length > 0 ? names : ['google']).map(
    name => `${appOrigin}/api/auth/oauth/${name}/callback`,
  );
  const claims = new Map<string, Claims>();

  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }));
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: redirectUris }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    interactions: { policy, url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    findAccount: async (_: unknown, login: string) => ({
      accountId: login,
      claims: async () => ({ sub: login, ...(claims.get(login) ?? usualClaims(login)) }),
    }),
    async loadExistingGrant({ oidc }: Context) {
      const { client, session } = oidc;
      const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', (req, res) => {
    const { pathname, searchParams } = new URL(req.url!, issuer);
    if (!pathname.startsWith('/interaction/')) return answer(req, res);
    const accountId = searchParams.get('login');
    if (accountId === null) return void res.setHeader('Content-Type', 'text/html').end(loginPage);
    const login = { accountId };
    provider.interactionFinished(req, res, { login, select_account: {} }).catch(error => {
      res.writeHead(500).end(String(error));
    });
  });

  return {
    issuer,
    settings: {
      googleClientId: client.id,
      googleClientSecret: client.secret,
      googleIssuer: issuer,
    },
    table: { clientId: client.id, clientSecret: client.secret, issuer },
    claim: (login, of) => void claims.set(login, of),
    async signInAt(start, login) {
      const cookies = new Map<string, string>();
      let url = new URL(start);
      while (url.origin === issuer) {
        if (url.pathname.startsWith('/interaction/')) url.searchParams.set('login', login);
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
        const location = response.headers.get('Location');
        if (!location) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
        for (const line of response.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
          cookies.set(name!, value!);
        }
        url = new URL(location, url);
      }
      return url;
    },
    close,
  };
}

/** What a person in a browser sees. */
const loginPage = `<!doctype html><html lang="en"><title>Provider</title><form><label>Name <input name="login"></label>
<button>Continue</button></form></html>`;

/** The address that a login has unless the test says otherwise. */
export const addressOf = (login: string) => `${login}@people.example`;

const usualClaims = (login: string): Claims => ({ email: addressOf(login), email_verified: true });
