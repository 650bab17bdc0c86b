import type { IssueAccessTokenInput } from './generated/inputs.ts';
import { tokensTable } from './generated/tokens.ts';
import type { AccessToken } from './generated/views.ts';
import type { Challenge, ClientModule, ModuleParts } from './modules.ts';
import type { CallOptions } from './types.ts';

/** A token is asked for anew so long before its end, in milliseconds. */
const earlyMs = 30_000;

interface Kept {
  token: AccessToken;
  /** In milliseconds since 1970. */
  endsAt: number;
}

/**
 * Access tokens for APIs, a part of the client of its own. `issueAccessToken` answers from memory until 30 seconds before a
 * token ends.
 * @example
 * const client = createClient({ url: '/api/auth', with: [tokens] });
 * const { accessToken } = await client.issueAccessToken({ resource: 'https://api.example.org' });
 */
export const tokens: ClientModule<'tokens'> = { name: 'tokens', operations: tokensTable, methods };

function methods({ call, session, subscribe }: ModuleParts) {
  const kept = new Map<string, Kept>();
  const underWay = new Map<string, Promise<AccessToken>>();
  /** The session whose tokens are kept. */
  let of = session();

  /** Another session has other tokens, also one that another tab has begun. */
  function forget(): void {
    if (of === session()) return;
    of = session();
    kept.clear();
    underWay.clear();
  }
  subscribe(forget);

  async function issue(key: string, input: IssueAccessTokenInput): Promise<AccessToken> {
    const { result, token: used } = await call('issueAccessToken', { ...input });
    const token = result as AccessToken;
    forget();
    // Another sign-in may have taken the place of its session meanwhile.
    if (used === of) kept.set(key, { token, endsAt: Date.now() + token.expiresIn * 1000 });
    return token;
  }

  return {
    async issueAccessToken(input: IssueAccessTokenInput, { signal }: CallOptions = {}): Promise<AccessToken> {
      signal?.throwIfAborted();
      forget();
      const { resource, scopes, acrValues, maxAge } = input;
      const key = JSON.stringify([resource, scopes?.toSorted(), acrValues?.toSorted(), maxAge]);
      const { token, endsAt = 0 } = kept.get(key) ?? {};
      const leftMs = endsAt - Date.now();
      // How old the sign-in is by now, only the server knows.
      if (token && leftMs > earlyMs && maxAge == null)
        return { ...token, expiresIn: Math.ceil(leftMs / 1000) };
      let asked = underWay.get(key);
      if (!asked) {
        asked = issue(key, input).finally(() => {
          if (underWay.get(key) === asked) underWay.delete(key);
        });
        underWay.set(key, asked);
      }
      if (!signal) return asked;
      // Others may wait for the same answer.
      let abort = () => {};
      const aborted = new Promise<never>((_, reject) => {
        abort = () => reject(signal.reason);
      });
      signal.addEventListener('abort', abort);
      return Promise.race([asked, aborted]).finally(() => signal.removeEventListener('abort', abort));
    },
    challengeOf,
  };
}

/**
 * Returns what an API asks for that has refused a token with 401 or 403 (RFC 6750, RFC 9470), or null. An API of another
 * origin has to expose `WWW-Authenticate`, as a guard with `cors: true` does.
 * @example
 * const challenge = challengeOf(response);
 * if (challenge) await client.issueAccessToken({ resource, ...challenge });
 */
export function challengeOf({ status, headers }: Pick<Response, 'status' | 'headers'>): Challenge | null {
  const text = headers.get('WWW-Authenticate') ?? '';
  if ((status !== 401 && status !== 403) || !/\bbearer\b/i.test(text)) return null;
  const parameter = (name: string) => {
    const [, quoted, plain] = new RegExp(`[\\s,]${name}=(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(text) ?? [];
    return quoted ?? plain;
  };
  const list = (name: string) => parameter(name)?.split(' ').filter(Boolean);
  const [acrValues, scopes, maxAge] = [list('acr_values'), list('scope'), parameter('max_age')];
  return {
    ...(acrValues?.length && { acrValues }),
    ...(maxAge && { maxAge: Number(maxAge) }),
    ...(scopes?.length && { scopes }),
  };
}
